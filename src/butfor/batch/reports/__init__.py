"""Renderers of the answer of a batch: one format per module, no analysis."""

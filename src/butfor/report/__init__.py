"""Renderers of the answer: one format per module, no analysis."""

"""Renderers: one format per file, no analysis."""

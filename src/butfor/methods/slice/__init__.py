"""Backward slices of the failure."""

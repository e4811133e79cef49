"""Walks over the log in C, on the same columns as the Python modules that specify them."""

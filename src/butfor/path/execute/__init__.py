"""Paths executed symbolically, as they were or with statements changed."""

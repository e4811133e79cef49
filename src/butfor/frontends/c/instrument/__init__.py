"""Rewriting a program so that it records itself."""

"""The records themselves, one file per family of functions."""

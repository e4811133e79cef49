"""Benchmarks of recording and of the way from the end of a run to its slice: `python -m bench`."""

"""Which checks hold in every run, by static analysis."""

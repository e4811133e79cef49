"""Failing paths: straight lines of statement instances over cells, for the solver-based methods."""

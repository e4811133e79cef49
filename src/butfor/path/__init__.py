"""A failing path as a straight line of statement instances over cells: what the solver-based methods work on."""

"""Terms: plain data with one substitution, one simplifier, and solvers behind them."""

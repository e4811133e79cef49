"""Counterfactual runs: the program executed again with a change or with another input."""

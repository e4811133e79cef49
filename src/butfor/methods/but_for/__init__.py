"""Counterfactual re-execution: the program is run again with one thing changed."""

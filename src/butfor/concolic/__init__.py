"""Concolic search for failing inputs of a C program.

Runs are recorded, a decision of their path conditions is negated and solved, and the solution is run in turn.
"""

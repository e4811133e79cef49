"""Proof-guided error diagnosis: which changes of statements along failing paths avoid the failures."""

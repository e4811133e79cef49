"""One ranking of source statements from the findings of all methods."""

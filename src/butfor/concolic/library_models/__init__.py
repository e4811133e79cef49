"""Models of library functions for the search: how results depend on the input, and edits for them.

A function that parses a number gives a field of the input: the solver chooses the number, its digits are written into
the input. A function that compares with or searches for a text gives an edit: that text is put into the input.
"""

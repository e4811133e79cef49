"""Library functions as the search sees them: how their results depend on the input, and which edits of it would change what they do.

A function that reads a number from text gives a number field: the solver chooses the number, its digits are written into the input. A
function that compares with or looks for a text gives an edit: that text is put into the input.
"""

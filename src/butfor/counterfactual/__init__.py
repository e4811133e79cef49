"""Running the program again with something changed."""

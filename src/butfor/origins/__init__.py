"""Where values came from: origins of single values, and ladders from a failure or a question back to them."""

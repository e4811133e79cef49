"""One folder for each method, and what all of them share."""

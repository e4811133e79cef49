"""The smallest sets of statements whose change can avoid all failures."""

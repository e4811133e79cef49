"""What is wrong in the failing run besides its failure."""

"""What is known about each function of the C library: one record per function, its C models beside them."""

"""What went wrong in a recorded run, where, and from which instances an explanation starts."""

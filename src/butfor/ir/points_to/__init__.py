"""What pointers may point to, for all runs (inclusion-based, field-sensitive)."""

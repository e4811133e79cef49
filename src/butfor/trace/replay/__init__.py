"""The full replay that recomputes every value and compares it with the recording."""

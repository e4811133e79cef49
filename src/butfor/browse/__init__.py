"""The terminal browser of `butfor show`."""

"""From a recorded failing run to a `Path`."""

"""The run in source terms: places, steps, objects, values."""

"""The run in the words of the source: places, steps, objects, values."""

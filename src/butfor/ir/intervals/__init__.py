"""An abstract interpreter: ranges, differences and pointers that hold in every run."""

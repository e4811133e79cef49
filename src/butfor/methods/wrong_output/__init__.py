"""Print statements that would only have to write something else."""

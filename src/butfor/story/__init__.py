"""The run as a story for reports that can be browsed: steps, what each depended on, memory, the input that matters."""

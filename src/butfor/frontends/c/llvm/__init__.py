"""Reading normalised LLVM assembly: the only place that knows its syntax."""

"""C programs through LLVM: build, run and record; the only place that sees LLVM assembly."""

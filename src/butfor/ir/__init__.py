"""The LLVM-shaped program model and its static analyses: flow graphs, points-to sets, intervals."""

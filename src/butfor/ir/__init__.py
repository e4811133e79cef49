"""The LLVM-shaped program model and what static analysis says about it."""

"""A command such as `make check`, whose programs say when they start, so that failing ones can be recorded."""

"""Error invariants: what was true along a failing path, as far as the failure needs it."""

"""From sources to something to explain: a recorded run (C) or a failing path (Boogie)."""

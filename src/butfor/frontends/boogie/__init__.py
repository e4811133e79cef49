"""Boogie programs: from their text to failing paths."""

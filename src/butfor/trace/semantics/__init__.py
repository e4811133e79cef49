"""The exact meaning of every instruction on registers."""

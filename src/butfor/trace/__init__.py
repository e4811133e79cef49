"""The recorded run: its columns, its instances with values, their dependences, and its source view."""

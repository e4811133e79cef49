"""The recorded run: its columns, its instances with values, what they depended on, and its source view."""

"""The terminal browser of `butfor show`, the only place that sees Textual."""

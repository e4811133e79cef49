"""Points-to analysis of whole programs: inclusion-based and field-sensitive."""

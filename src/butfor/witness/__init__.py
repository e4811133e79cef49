"""Violation witnesses of SV-COMP: the failing run that a verifier claims to have found."""

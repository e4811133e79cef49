"""Relevance: which statements of a failing path could have avoided the failure by another value, and whether inputs control it."""

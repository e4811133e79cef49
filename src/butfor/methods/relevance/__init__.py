"""Relevance: where another value would have avoided the failure, and whether inputs control it."""

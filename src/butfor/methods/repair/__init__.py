"""From a failing run to edits of the source that were compiled and run against all tests."""

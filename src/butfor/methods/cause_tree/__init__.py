"""The cause tree: which values made the check fail, which decisions led there, level by level."""

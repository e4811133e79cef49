"""Many failing runs at once: run, grouped by cause, explained once for each group, kept in a store."""

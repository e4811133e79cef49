"""Programs that a build system built with `butfor cc`: from the stamps in a binary to a twin that records itself."""

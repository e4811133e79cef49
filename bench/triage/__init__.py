"""Programs with planted faults and failing inputs of each, to judge how well a batch groups failing runs by cause."""

"""The C compiler that comes along, the cache of what it made, and C code loaded into this process."""

/* A member of the archive that no program needs. */
int unused_member(void) { return 3; }

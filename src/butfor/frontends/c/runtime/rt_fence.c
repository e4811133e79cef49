/* The fence of runs that are only tried, for a recording run: set when BUTFOR_FENCE is. */
#include "../hooks/fence.c"

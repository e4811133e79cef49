/* The fence of runs that are only tried, for a recording run: set when BUTFOR_FENCE is. What it refuses leaves the file `refused` beside the recording. */
#include "../hooks/fence.c"
#include "../hooks/call_filter.c"

int bf_open_in_dir(const char *name);
void bf_note_refused(void) {
  static int is_noted;
  if (is_noted++) return;
  int file = bf_open_in_dir("refused");
  if (file >= 0) close(file);
}

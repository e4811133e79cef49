/* The list of values in BUTFOR_NONDET: numbers separated by commas. */
#include <stdint.h>
#include <stdlib.h>

static unsigned nondet_count(const char *list) {
  unsigned n = list && *list;
  for (; n && *list; list++) n += *list == ',';
  return n;
}
static void nondet_read(const char *list, unsigned n, uint64_t *to) {
  for (unsigned i = 0; i < n; i++) {
    char *end;
    to[i] = strtoull(list, &end, 10);
    list = *end ? end + 1 : end;
  }
}

/* Long runs: a log that would grow too large loses its beginning, and the program goes on. The log is written in parts; when a part is full, the one
   before it is dropped, so that the last part and the one before it are kept. What was written before a part began has its value logged again
   when the part reads it first: each part can do without the values of those before. */
#include "rt_log.h"
#include "rt_shadow.h"
#include "rt_end.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BURNT 256              /* numbers of stores that are left out between two parts, so that no short distance leads across */
#define MAX_STORES 0x0ff00000u /* before numbers run out; a window has fewer than the rest */
#define MAX_RECORDS 0x07f00000u
#define MAX_SEGMENTS 0xffff0000u
#define BEFORE BF_EVENT /* the writer of what was there before the numbers began anew: event number 0 */
#define PAGE 4096

struct part { u64 size[C_COUNT]; u32 window, frames, stores, pad; }; /* where a part of the log begins */
struct kept_frame { u64 base; u32 id, object; };

static struct part kept, under_way;
static u64 max_segments = ~0ull, max_bytes = ~0ull; /* of one part */

void bf_keep_start(u64 segments, u64 bytes) {
  max_segments = segments;
  max_bytes = bytes;
}
u32 bf_kept_window(void) { return kept.window; }

static u64 bytes_since(const struct part *p) {
  u64 n = 0;
  for (int c = 0; c < C_COUNT; c++) n += bf_size(c) - p->size[c];
  return n;
}

static struct part part_here(void) {
  struct part p = {.window = bf_segments() / BF_WINDOW, .frames = bf_nframes, .stores = bf_nstores};
  for (int c = 0; c < C_COUNT; c++) p.size[c] = bf_size(c);
  return p;
}

/* The file that says where a part begins, and which calls were under way. */
static void name_of(const struct part *p, char *out, u64 room) { snprintf(out, room, "part-%u", p->window); }
static void write_part(const struct part *p) {
  char name[32];
  name_of(p, name, sizeof name);
  int fd = bf_open_in_dir(name);
  if (fd < 0) return;
  bf_write_all(fd, (const u8 *)p, sizeof *p);
  for (struct live_frame *f = bf_first_frame(); f <= bf_frame; f++) {
    struct kept_frame k = {(u64)f->base, f->id, f->object};
    bf_write_all(fd, (const u8 *)&k, sizeof k);
  }
  close(fd);
}
static void forget_part(const struct part *p) {
  char name[32];
  name_of(p, name, sizeof name);
  bf_remove_in_dir(name);
}

/* ---- dropping ------------------------------------------------------------------------------------------------------- */

static u64 *dropped; /* how often each segment ran in what was dropped: places in a run are named by such numbers */
static u32 dropped_rows;

static void count_dropped(const seg_t *at, const seg_t *end) {
  for (; at < end; at++) {
    dropped[*at]++;
    if (*at >= dropped_rows) dropped_rows = *at + 1u;
  }
}

/* Counts the segments from byte `from` to byte `to` of their column, of which the end may not be in the file yet. */
static void count_segments(u64 from, u64 to) {
  static seg_t rows[1 << 14];
  const struct col *k = &bf_cols[C_SEG];
  u64 written = bf_size(C_SEG) - (u64)(k->at - k->buf);
  if (!dropped) dropped = bf_reserve(sizeof *dropped << 8 * sizeof(seg_t));
  while (from < to && from < written) {
    u64 end = to < written ? to : written, size = end - from < sizeof rows ? end - from : sizeof rows;
    ssize_t n = pread(k->fd, rows, size, (off_t)from);
    if (n <= 0) return;
    count_dropped(rows, rows + (u64)n / sizeof *rows);
    from += (u64)n;
  }
  if (from < to) count_dropped((const seg_t *)(k->buf + (from - written)), (const seg_t *)(k->buf + (to - written)));
}

void bf_write_dropped(void) {
  int fd = dropped ? bf_open_in_dir("dropped") : -1;
  if (fd < 0) return;
  bf_write_all(fd, (const u8 *)dropped, dropped_rows * sizeof *dropped);
  close(fd);
}

/* Objects are kept: what the program holds may be as old as the run, and so are the errors and the output. */
static void drop_before(const struct part *p) {
  static const u8 columns[] = {C_SEG, C_LOAD, C_ESCAPE, C_VALUE, C_ADDRESS, C_WORD, C_FRAME, C_READ, C_EVENT, C_RUN, C_TEXT, C_CHECK};
  count_segments(kept.size[C_SEG], p->size[C_SEG]);
  for (unsigned k = 0; k < sizeof columns; k++) {
    u64 end = p->size[columns[k]] & ~(u64)(PAGE - 1);
    if (end && bf_cols[columns[k]].fd >= 0) fallocate(bf_cols[columns[k]].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)end);
  }
}

static void begin_part(void) {
  if (under_way.window != kept.window) {
    forget_part(&kept);
    drop_before(&under_way);
    kept = under_way;
  }
  bf_nstores += BURNT;
  bf_store_floor = bf_nstores;
  bf_read_floor = bf_nreads;
  under_way = part_here();
  write_part(&under_way);
}

/* ---- numbers run out ------------------------------------------------------------------------------------------------ */

static int is_whole_pointer(const u32 *s) {
  if (s[0] >= BF_EVENT) return (s[0] & 7) == BF_COPY_TAG && s[7] == s[0];
  return s[0] && !(s[0] & 7) && s[7] == s[0] + 7;
}

/* The writers of eight bytes become BEFORE; a pointer that came there as a whole keeps its object. */
static void age(u32 *s) {
  u32 to = BEFORE | (is_whole_pointer(s) ? BF_COPY_TAG : 0);
  for (int k = 0; k < 8; k++)
    if (s[k]) s[k] = to;
}

static void age_pages(u8 *from, u8 *to) {
  static u8 resident[PAGE];
  for (u8 *at = from; at < to; at += (u64)PAGE * PAGE) {
    u64 size = (u64)(to - at) < (u64)PAGE * PAGE ? (u64)(to - at) : (u64)PAGE * PAGE;
    if (mincore(at, size, resident)) continue;
    for (u64 k = 0; k < size / PAGE; k++)
      if (resident[k] & 1)
        for (u32 *s = (u32 *)(at + k * PAGE); s < (u32 *)(at + (k + 1) * PAGE); s += 8) age(s);
  }
}

/* Ages the shadow of all memory of the process; constants too, which reads have marked. */
static void age_all(void) {
  static char text[1 << 16];
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  u64 have = 0;
  for (;;) {
    ssize_t n = fd < 0 ? 0 : read(fd, text + have, sizeof text - 1 - have);
    if (n <= 0) break;
    have += (u64)n;
    text[have] = 0;
    char *line = text, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
      char *rest;
      u64 from = strtoull(line, &rest, 16), to = strtoull(rest + 1, &rest, 16);
      int is_shadow = from >= SH_IDS && from < SH_HEAP + (1ull << 40);
      if (!is_shadow) age_pages((u8 *)ids((u8 *)from), (u8 *)ids((u8 *)from) + (to - from) * 4);
    }
    have = strlen(line);
    memmove(text, line, have);
  }
  if (fd >= 0) close(fd);
}

static void begin_again(void) {
  age_all();
  forget_part(&kept);
  forget_part(&under_way);
  bf_restart_column(C_READ);
  bf_restart_column(C_EVENT);
  bf_restart_column(C_RUN);
  bf_restart_column(C_TEXT);
  bf_nstores = bf_nreads = bf_nevents = bf_store_floor = bf_read_floor = 0;
  bf_forget_events();
  struct part here = part_here();
  drop_before(&here);
  kept = under_way = here;
  write_part(&kept);
}

void bf_window_begins(void) {
  u32 n = bf_segments();
  if (!n || bf_cols[C_SEG].fd < 0) return;
  bf_busy = 1;
  if (n > MAX_SEGMENTS) bf_close(END_LIMIT, 0, "log");
  else if (bf_nstores > MAX_STORES || bf_nreads > MAX_RECORDS || bf_nevents > MAX_RECORDS) begin_again();
  else if (n - (u64)under_way.window * BF_WINDOW >= max_segments || bytes_since(&under_way) >= max_bytes) begin_part();
  bf_busy = 0;
}

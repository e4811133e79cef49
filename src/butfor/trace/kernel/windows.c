/* Windows of the log decoded on demand: trace/log/columns.py is the specification. */
#include "kernel.h"

/* A damaged log must not be read beyond its ends: what points outside ends the walk, and Python says what is wrong. */
static u32 checked_frame(struct run *r, u64 frame) {
  if (frame < r->frame_count) return (u32)frame;
  r->damaged = 1;
  return NO_FRAME;
}

static void decode(struct run *r, struct window *w, u64 number) {
  const struct check_rec *c = &r->check[number];
  u64 first = number * WINDOW, end = first + WINDOW < r->seg_count ? first + WINDOW : r->seg_count;
  u32 current = c->frame, coming = c->frames, loads = 0, stores = 0, bytes = 0, addresses = 0, words = 0, escapes = 0;
  for (u64 i = first; i < end; i++) {
    u32 s = segment_of(r, i), j = (u32)(i - first);
    if (s >= r->table_rows) {
      r->damaged = 1;
      s = 0;
    }
    i32 flags = table(r, s, FLAGS);
    w->loads[j] = loads, w->stores[j] = stores, w->bytes[j] = bytes, w->addresses[j] = addresses, w->words[j] = words, w->escapes[j] = escapes;
    if (flags & ENTRY) current = coming++;
    else if (flags & SETJMP && c->words + words < r->word_count) current = (u32)r->word[c->words + words];
    w->frame[j] = current;
    if (flags & RET) {
      u32 f = checked_frame(r, current);
      current = f == NO_FRAME ? NO_FRAME : r->frame[f].parent;
    }
    u32 count = (u32)table(r, s, LOADS);
    u64 from = c->loads + loads;
    for (u32 k = 0; k < count && from + k < r->load_count; k++) escapes += r->load[from + k] == ESCAPED;
    loads += count;
    stores += (u32)table(r, s, STORES);
    bytes += (u32)table(r, s, BYTES);
    addresses += (u32)table(r, s, ADDRESSES);
    words += (u32)table(r, s, WORDS);
  }
  u32 j = (u32)(end - first);
  for (; j <= WINDOW; j++)
    w->loads[j] = loads, w->stores[j] = stores, w->bytes[j] = bytes, w->addresses[j] = addresses, w->words[j] = words, w->escapes[j] = escapes;
  w->tag = number + 1;
}

struct window *bf_window(struct run *r, u64 number) {
  struct window *w = &r->windows[number % r->windows_kept];
  if (w->tag != number + 1) decode(r, w, number);
  return w;
}

struct function *bf_function_of(struct run *r, u64 i) {
  u32 s = segment_of(r, i);
  if (s >= r->table_rows) {
    r->damaged = 1;
    return 0;
  }
  i32 owner = table(r, s, OWNER);
  if (owner < 0 || (u64)owner >= r->function_count) {
    r->damaged = 1;
    return 0;
  }
  struct function *f = r->functions[owner];
  if (!f && !r->damaged) {
    r->read_function(owner);
    f = r->functions[owner];
    if (!f) r->damaged = 1;
  }
  if (f && s - (u32)f->first_segment >= (u32)f->segments) {
    r->damaged = 1;
    return 0;
  }
  return f;
}

i64 bf_previous_in_frame(struct run *r, u64 i) {
  if (i == 0 || table(r, segment_of(r, i), FLAGS) & ENTRY) return NOTHING;
  u32 frame = frame_of(r, i), f = frame_of(r, i - 1);
  if (f == frame) return (i64)i - 1;
  for (;;) {
    f = checked_frame(r, f);
    if (f == NO_FRAME) return NOTHING;
    u32 parent = r->frame[f].parent;
    if (parent == frame && r->frame[f].caller == NO_SEGMENT) return NOTHING; /* it was called before the recorded part */
    if (parent == frame && r->frame[f].caller >= i) r->damaged = 1; /* the way back must end */
    if (parent == frame) return r->frame[f].caller < i ? (i64)r->frame[f].caller : NOTHING;
    if (parent == NO_FRAME || parent >= f) return NOTHING; /* a frame begins after the one that called it */
    f = parent;
  }
}

/* Whether a frame is another one, or was called from it at any depth. */
static int is_within(const struct run *r, u32 frame, u32 f) {
  while (f > frame && f < r->frame_count) {
    u32 parent = r->frame[f].parent;
    if (parent >= f) return 0; /* a frame begins after the one that called it, and the outermost one has none */
    f = parent;
  }
  return f == frame;
}

/* The last window, from this one on, before which the frame cannot have gone on, because the call that it made is under way; NOTHING where it has
   been left. */
static i64 still_in_callee(const struct run *r, u32 frame, u64 window) {
  u32 f = r->check[window].frame, callee = f;
  while (f > frame && f < r->frame_count) {
    u32 parent = r->frame[f].parent;
    if (parent >= f) return NOTHING;
    callee = f, f = parent;
  }
  if (f != frame) return NOTHING;
  if (callee == frame) return (i64)window;
  u64 low = window, step = 1;
  while (low + step < r->check_count && is_within(r, callee, r->check[low + step].frame)) low += step, step *= 2;
  u64 high = low + step < r->check_count ? low + step : r->check_count;
  while (high - low > 1) {
    u64 middle = (low + high) / 2;
    if (is_within(r, callee, r->check[middle].frame)) low = middle;
    else high = middle;
  }
  return (i64)low;
}

i64 bf_next_in_frame(struct run *r, u64 i) {
  u32 frame = frame_of(r, i);
  for (u64 j = i + 1; j < r->seg_count; j++) {
    if (j % WINDOW == 0) {
      i64 window = still_in_callee(r, frame, j / WINDOW);
      if (window < 0) return NOTHING;
      j = (u64)window * WINDOW;
    }
    u32 f = frame_of(r, j);
    if (f == frame) return (i64)j;
    f = checked_frame(r, f);
    if (f == NO_FRAME || r->frame[f].parent == NO_FRAME) return NOTHING;
  }
  return NOTHING;
}

/* The segment instance that made a store, searched from a window near which it is likely to be. */
i64 bf_segment_of_store(struct run *r, u64 number, u64 near) {
  u64 wanted = number - 1, low = 0, high = r->check_count; /* check_stores[low] <= wanted < check_stores[high] */
  if (number == 0 || !high) return NOTHING;
  if (r->check[near].stores <= wanted) low = near;
  else {
    high = near;
    for (u64 step = 1; step <= high; step *= 2) {
      if (r->check[high - step].stores <= wanted) {
        low = high - step;
        break;
      }
      high -= step;
    }
  }
  while (high - low > 1) {
    u64 middle = low + (high - low) / 2;
    if (r->check[middle].stores <= wanted) low = middle;
    else high = middle;
  }
  struct window *w = bf_window(r, low);
  u64 inside = wanted - r->check[low].stores;
  if (inside >= w->stores[WINDOW]) return NOTHING;
  u32 a = 0, b = WINDOW;
  while (b - a > 1) {
    u32 middle = (a + b) / 2;
    if (w->stores[middle] <= inside) a = middle;
    else b = middle;
  }
  return (i64)(low * WINDOW + a);
}

int bf_window_bytes(struct run *r) {
  (void)r;
  return sizeof(struct window);
}

/* Frees what was remembered about a run. */
void bf_forget(struct run *r) {
  for (u64 k = 0; k < r->check_count; k++) free(r->parents[k]), r->parents[k] = 0;
}

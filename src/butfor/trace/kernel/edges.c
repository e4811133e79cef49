/* Dependences of an instance: trace/dependence/dependence.py is the specification. */
#include "kernel.h"

enum { MAX_CALLBACKS = 256, MAX_COMPRESSED = 64 };

void bf_add_edge(struct edges *out, u32 kind, i64 i, i32 n) {
  if (out->count == out->room) {
    u64 room = out->room ? out->room * 2 : 256;
    struct edge *rows = realloc(out->rows, room * sizeof *rows);
    if (!rows) {
      out->failed = 2;
      return;
    }
    out->rows = rows, out->room = room;
  }
  out->rows[out->count++] = (struct edge){kind, n, i};
}

/* ---- structure ------------------------------------------------------------------------------------------------------ */

int bf_call_of(struct run *r, u64 i, struct node *out) {
  u32 f = frame_of(r, i);
  if (f >= r->frame_count || r->frame[f].parent == NO_FRAME) return 0;
  u64 c = r->frame[f].caller;
  if (c >= r->seg_count || c >= i || !(table(r, segment_of(r, c), FLAGS) & CALL)) return 0;
  struct function *fn = bf_function_of(r, c);
  if (!fn) return 0;
  *out = (struct node){(i64)c, fn->seg_end[local_segment(r, fn, c)] - 1};
  return 1;
}

/* Whether a call instance called this function itself, not library code that called back. */
int bf_is_direct_call(struct run *r, struct node call, const struct function *callee) {
  struct function *f = bf_function_of(r, (u64)call.i);
  if (!f) return 0;
  i32 named = f->callee[call.n];
  if (named != CALLEE_INDIRECT) return named == callee->index;
  u64 number = (u64)call.i / WINDOW, at = r->check[number].words + bf_window(r, number)->words[(u64)call.i % WINDOW] + (u64)f->words_at[call.n];
  return at < r->word_count && callee->has_address && r->word[at] == callee->address;
}

static int frame_entry(struct run *r, u64 i, i64 *entry) {
  u32 f = frame_of(r, i);
  if (f >= r->frame_count) return 0;
  *entry = r->frame[f].entry;
  return 1;
}

/* The instance that defined a register as it is seen in segment instance i. */
static int definition(struct run *r, const struct function *f, u64 i, i32 slot, struct node *out) {
  i32 d = f->slot_definer[slot], number = f->slot_segment[slot];
  if (d < 0 || number == NOTHING) {
    out->n = d < 0 ? ~slot : d;
    return frame_entry(r, i, &out->i);
  }
  i64 j = (i64)i;
  while (segment_of(r, (u64)j) != (u32)number)
    if ((j = bf_previous_in_frame(r, (u64)j)) < 0) return 0;
  *out = (struct node){j, d};
  return 1;
}

static void operand(struct run *r, const struct function *f, u64 i, i32 arg, u32 kind, struct edges *out) {
  struct node d;
  if (arg < 0) return;
  if (definition(r, f, i, arg, &d)) bf_add_edge(out, kind, d.i, d.n);
  else out->failed = 1;
}

static void operands(struct run *r, const struct function *f, u64 i, i32 from, i32 to, u32 kind, struct edges *out) {
  for (i32 a = from; a < to && !out->failed; a++) operand(r, f, i, f->args[a], kind, out);
}

/* ---- control -------------------------------------------------------------------------------------------------------- */

/* Parents of segment instances that were asked for, by windows: 0 unknown, 1 none, else 2 + the segment instance. */
static u32 *parent_memo(struct run *r, u64 i) {
  u32 **rows = &r->parents[i / WINDOW];
  if (!*rows) {
    *rows = calloc(WINDOW, sizeof(u32));
    r->bytes_used += WINDOW * sizeof(u32);
  }
  return *rows ? &(*rows)[i % WINDOW] : 0;
}

static i64 latest_branch(struct run *r, const struct function *f, u64 i, i32 block, u64 *passed, u32 *passed_count) {
  i32 from = f->control_first[block], to = f->control_first[block + 1], own = f->control_class[block];
  for (i64 j = bf_previous_in_frame(r, i); j >= 0; j = bf_previous_in_frame(r, (u64)j)) {
    u32 segment = segment_of(r, (u64)j);
    for (i32 k = from; k < to; k++)
      if ((u32)f->control_segment[k] == segment) return j;
    u32 local = segment - (u32)f->first_segment;
    if (local < (u32)f->segments && f->control_class[f->seg_block[local]] == own) { /* its parent is the same one */
      u32 *known = parent_memo(r, (u64)j);
      if (known && *known) return *known == 1 ? NOTHING - 1 : (i64)*known - 2;
      if (*passed_count < MAX_COMPRESSED) passed[(*passed_count)++] = (u64)j;
    }
  }
  return NOTHING;
}

int bf_control(struct run *r, u64 i, struct node *out) {
  struct function *f = bf_function_of(r, i);
  u32 *known = f ? parent_memo(r, i) : 0;
  if (!known) return 0;
  if (!*known) {
    i32 block = f->seg_block[local_segment(r, f, i)];
    u64 passed[MAX_COMPRESSED];
    u32 count = 0;
    i64 found = f->control_first[block] < f->control_first[block + 1] ? latest_branch(r, f, i, block, passed, &count) : NOTHING;
    struct node call;
    if (found == NOTHING && bf_call_of(r, i, &call)) found = call.i;
    *known = found < 0 ? 1 : (u32)found + 2;
    for (u32 k = 0; k < count; k++) *parent_memo(r, passed[k]) = *known;
  }
  if (*known == 1) return 0;
  u64 parent = *known - 2;
  f = bf_function_of(r, parent);
  if (!f) return 0;
  *out = (struct node){(i64)parent, f->seg_end[local_segment(r, f, parent)] - 1};
  return 1;
}

/* ---- data ----------------------------------------------------------------------------------------------------------- */

static void parameter_edges(struct run *r, u64 i, i32 k, struct edges *out) {
  struct node call;
  struct function *f = bf_function_of(r, i);
  if (!f || !bf_call_of(r, i, &call)) return;
  bf_add_edge(out, EDGE_CALL, call.i, call.n);
  if (!bf_is_direct_call(r, call, f)) return;
  struct function *caller = bf_function_of(r, (u64)call.i);
  if (caller && k < caller->arg_types[call.n]) operand(r, caller, (u64)call.i, caller->args[caller->arg_first[call.n] + k], EDGE_DATA, out);
}

static void load_edges(struct run *r, const struct function *f, struct node at, struct edges *out) {
  u64 i = (u64)at.i, number = i / WINDOW;
  struct window *w = bf_window(r, number);
  u64 first = r->check[number].loads + w->loads[i % WINDOW] + (u64)f->loads_at[at.n];
  u64 stores = r->check[number].stores + w->stores[i % WINDOW] + (u64)f->stores_at[at.n];
  i32 from = f->part_first[at.n], to = f->part_first[at.n + 1];
  if (first > r->load_count || (u64)(to - from) > r->load_count - first) {
    out->failed = 1;
    return;
  }
  for (i32 k = from; k < to && !out->failed; k++) {
    u32 writer;
    if (!bf_writer(r, i, first + (u64)(k - from), stores, &writer)) out->failed = 2;
    else bf_source_edges(r, at, writer, f->part_size[k], 0, 0, out);
  }
  if (!out->failed) operand(r, f, i, f->args[f->arg_first[at.n]], EDGE_ADDRESS, out);
}

/* Whether a block of the frame ran between two segment instances of it. */
static int is_between(struct run *r, const struct function *f, i32 block, i64 first, i64 last) {
  for (i64 j = bf_previous_in_frame(r, (u64)last); j > first; j = bf_previous_in_frame(r, (u64)j))
    if (f->seg_block[local_segment(r, f, (u64)j)] == block) return 1;
  return 0;
}

static void phi_edges(struct run *r, const struct function *f, struct node at, struct edges *out) {
  i64 before = bf_previous_in_frame(r, (u64)at.i);
  if (before < 0 || bf_function_of(r, (u64)before) != f) {
    out->failed = 2;
    return;
  }
  i32 block = f->seg_block[local_segment(r, f, (u64)before)], a = f->arg_first[at.n], end = f->arg_first[at.n + 1];
  while (a < end && f->arg_block[a] != block) a++;
  if (a == end) {
    out->failed = 2;
    return;
  }
  operand(r, f, (u64)before, f->args[a], EDGE_DATA, out);
  i32 own = f->seg_block[local_segment(r, f, (u64)at.i)], stop = f->dominator[own];
  if (f->successors[block] > 1) bf_add_edge(out, EDGE_DATA, before, f->seg_end[local_segment(r, f, (u64)before)] - 1);
  u32 frame = frame_of(r, (u64)at.i);
  while (block != stop && block != own) {
    struct node parent;
    if (!bf_control(r, (u64)before, &parent) || frame_of(r, (u64)parent.i) != frame || bf_function_of(r, (u64)parent.i) != f) break;
    if (is_between(r, f, own, parent.i, before)) break;
    bf_add_edge(out, EDGE_DATA, parent.i, parent.n);
    before = parent.i;
    block = f->seg_block[local_segment(r, f, (u64)before)];
  }
}

/* The returns of the functions that a call called back, such as the comparisons of a sort. */
static void callback_edges(struct run *r, u64 i, struct edges *out) {
  if (i + 1 >= r->seg_count || !(table(r, segment_of(r, i + 1), FLAGS) & ENTRY)) return;
  u32 first = frame_of(r, i + 1);
  if (first >= r->frame_count || r->frame[first].caller != i) return;
  u64 ends[MAX_CALLBACKS + 1];
  u32 starts = 0, count = 0;
  for (u64 f = first; f < r->frame_count && starts <= MAX_CALLBACKS; f++) {
    if (r->frame[f].caller == i) {
      if (starts++) ends[count++] = r->frame[f].entry - 1;
    } else if (r->frame[f].parent < first || r->frame[f].parent >= f) break;
  }
  i64 after = bf_next_in_frame(r, i);
  if (after > 0 && starts <= MAX_CALLBACKS) ends[count++] = (u64)after - 1;
  for (u32 k = 0; k < count; k++) {
    if (ends[k] >= r->seg_count || !(table(r, segment_of(r, ends[k]), FLAGS) & RET)) continue;
    struct function *f = bf_function_of(r, ends[k]);
    if (f) bf_add_edge(out, EDGE_DATA, (i64)ends[k], f->seg_end[local_segment(r, f, ends[k])] - 1);
  }
}

static void call_edges(struct run *r, const struct function *f, struct node at, int is_act, struct edges *out) {
  u64 i = (u64)at.i;
  u8 kind = f->kind[at.n];
  if (is_act) {
    if (kind == KIND_CALL_INTERNAL) return;
    operands(r, f, i, f->arg_first[at.n], f->arg_first[at.n + 1], EDGE_DATA, out);
    if (kind == KIND_CALL_OTHER || out->failed) return;
    bf_library_reads(r, i, out);
    if (!out->failed) callback_edges(r, i, out);
    return;
  }
  if (kind == KIND_CALL_INTERNAL || kind == KIND_CALL_INDIRECT)
    if (i && frame_of(r, i - 1) != frame_of(r, i) && table(r, segment_of(r, i - 1), FLAGS) & RET) {
      struct function *callee = bf_function_of(r, i - 1);
      if (callee) bf_add_edge(out, EDGE_DATA, (i64)i - 1, callee->seg_end[local_segment(r, callee, i - 1)] - 1);
      return;
    }
  i64 before = bf_previous_in_frame(r, i);
  if (before >= 0) bf_add_edge(out, EDGE_DATA, before, at.n);
}

static void ask_python(struct run *r, struct node at, struct edges *out) {
  u64 count = r->python_edges(at.i, at.n);
  out->count = 0, out->failed = 0;
  for (u64 k = 0; k < count; k++) bf_add_edge(out, r->answer_kind[k], r->answer_i[k], r->answer_n[k]);
}

/* The data, address and call dependences of an instance. */
void bf_edges(struct run *r, struct node at, struct edges *out) {
  out->count = 0, out->failed = 0;
  if (at.n < 0) parameter_edges(r, (u64)at.i, ~at.n, out);
  else {
    struct function *f = bf_function_of(r, (u64)at.i);
    if (!f) return;
    i32 first = f->arg_first[at.n], end = f->arg_first[at.n + 1];
    u32 local = local_segment(r, f, (u64)at.i);
    switch (f->kind[at.n]) {
    case KIND_NOTHING: break;
    case KIND_PLAIN: operands(r, f, (u64)at.i, first, end, EDGE_DATA, out); break;
    case KIND_LOAD: load_edges(r, f, at, out); break;
    case KIND_STORE:
      operands(r, f, (u64)at.i, first, first + 1, EDGE_DATA, out);
      operands(r, f, (u64)at.i, first + 1, end, EDGE_ADDRESS, out);
      break;
    case KIND_PHI: phi_edges(r, f, at, out); break;
    case KIND_PYTHON: out->failed = 2; break;
    default: call_edges(r, f, at, at.n >= f->seg_start[local] && at.n < f->seg_end[local], out);
    }
  }
  if (out->failed == 2) ask_python(r, at, out);
  if (out->failed) out->count = 0, out->failed = 0; /* the log does not say */
}

/* For each load how many segment instances before it the latest of what it reads was written. */
int bf_ages(struct run *r, const i64 *i, const i32 *n, i64 *age, u64 count) {
  struct edges found = {0};
  for (u64 k = 0; k < count && !r->damaged; k++) {
    i64 latest = NOTHING;
    bf_edges(r, (struct node){i[k], n[k]}, &found);
    for (u64 e = 0; e < found.count; e++)
      if (found.rows[e].kind == EDGE_DATA && found.rows[e].i > latest) latest = found.rows[e].i;
    age[k] = latest == NOTHING ? 0 : i[k] - latest;
  }
  free(found.rows);
  return !r->damaged;
}

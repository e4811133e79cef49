/* Backward slices, nearest instances first: trace/dependence/backward_slice.py is the specification.

   Distances are whole numbers, so the instances that wait stand in one bucket for each distance, and a bucket is sorted when its turn comes. */
#include "kernel.h"

enum { AHEAD = 8 };
enum { BUCKETS = 512 }; /* more than the largest cost of an edge */
#define KEY(i, n) ((u64)(i) << 24 | (u64)((n) + (1 << 23)))
#define KEY_I(key) ((i64)((key) >> 24))
#define KEY_N(key) ((i32)((key) & 0xffffff) - (1 << 23))
#define UNSEEN 0xffffffffu
#define COUNTED 0x80u

struct waiting { u64 key, cell; };
struct bucket { struct waiting *rows; u64 count, room; };
struct known { u64 *keys, count, room; }; /* a set of addresses, open addressing; 0 is kept apart */
struct walk {
  struct run *run;
  struct slice *slice;
  struct bucket buckets[BUCKETS], current;
  struct edges edges;
  u32 **cells; /* by windows: for each segment instance 1 + where its cells begin, 0 if none of it was reached */
  u32 *cost;   /* of each cell */
  u8 *how;     /* the kind of edge that reached it, NO_EDGE for roots; COUNTED if it counts for its instruction */
  u64 cell_count, cell_room, waiting;
  struct known initial, uninit;
  int failed;
};

static int grow(void **rows, u64 *room, u64 needed, u64 size) {
  if (needed <= *room) return 1;
  u64 larger = *room ? *room * 2 : 1024;
  while (larger < needed) larger *= 2;
  void *p = realloc(*rows, larger * size);
  if (!p) return 0;
  *rows = p, *room = larger;
  return 1;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

/* An instance of a segment has a cell that says whether its control dependence was followed, one for each parameter if it begins a function,
   one for the result of the call before it, and one for each instruction: the function knows where the last begin. */
static i64 place_of(const struct function *f, u32 local, i32 n) {
  i32 first = f->seg_cells[local];
  if (n < 0) return ~n < first - 1 - f->seg_after[local] ? first - 1 - f->seg_after[local] - ~n : NOTHING;
  if (n >= f->seg_start[local] && n < f->seg_end[local]) return first + n - f->seg_start[local];
  return f->seg_after[local] && n == f->seg_start[local] - 1 ? first - 1 : NOTHING;
}

static u64 cells_of(const struct function *f, u32 local) { return (u64)(f->seg_cells[local] + f->seg_end[local] - f->seg_start[local]); }

static i64 cell_of(struct walk *w, struct function *f, u32 local, struct node at) {
  struct run *r = w->run;
  u32 **rows = &w->cells[(u64)at.i / WINDOW];
  i64 place = place_of(f, local, at.n);
  if (place < 0) return NOTHING;
  if (!*rows) {
    *rows = calloc(WINDOW, sizeof(u32));
    r->bytes_used += WINDOW * sizeof(u32);
    if (!*rows) return NOTHING;
  }
  u32 *first = &(*rows)[(u64)at.i % WINDOW];
  if (!*first) {
    u64 count = cells_of(f, local), needed = w->cell_count + count, room = w->cell_room;
    if (needed >= UNSEEN || !grow((void **)&w->cost, &room, needed, sizeof(u32))) return NOTHING;
    if (!grow((void **)&w->how, &w->cell_room, needed, 1)) return NOTHING;
    memset(w->cost + w->cell_count, 0xff, count * sizeof(u32));
    memset(w->how + w->cell_count, NO_EDGE, count);
    *first = (u32)w->cell_count + 1;
    w->cell_count = needed;
    r->bytes_used += count * (sizeof(u32) + 1);
  }
  return *first - 1 + place;
}

/* ---- the queue ------------------------------------------------------------------------------------------------------ */

/* The cost of an edge to an instance. */
static u64 cost_of(struct run *r, const struct function *f, i32 n, u32 kind) {
  if (kind == EDGE_CALL) return r->cost_call;
  if (kind == EDGE_POTENTIAL) return r->cost_potential;
  if (n < 0) return kind == EDGE_DATA ? r->cost_data : kind == EDGE_ADDRESS ? r->cost_address : r->cost_control;
  return kind == EDGE_DATA ? f->data_cost[n] : kind == EDGE_ADDRESS ? f->address_cost[n] : f->control_cost[n];
}

/* Where an instance of an instruction that a loop has brought too often leads instead: to the first one since the frame began, which leads out
   of the loop, or to the first of the run, which leads out of a recursion. */
static u64 folded(struct run *r, struct function *f, struct node at) {
  u32 segment = segment_of(r, (u64)at.i), local = segment - (u32)f->first_segment, frame = frame_of(r, (u64)at.i);
  if (f->fold_frame[local] != frame + 1) {
    u64 i = frame < r->frame_count ? r->frame[frame].entry : 0;
    while (i < (u64)at.i && segment_of(r, i) != segment) i++;
    f->fold_frame[local] = frame + 1;
    f->fold_to[local] = (u32)i;
  }
  if (f->fold_to[local] < at.i) return f->fold_to[local];
  u64 first = f->fold_first[local];
  while (segment_of(r, first) != segment) first++;
  f->fold_first[local] = (u32)first;
  return first;
}

/* The cell that an edge to an instance leads to. */
static i64 target_cell(struct walk *w, struct function *f, struct node *at) {
  struct run *r = w->run;
  u32 local = local_segment(r, f, (u64)at->i);
  i64 cell = cell_of(w, f, local, *at);
  if (cell < 0 || w->how[cell] & COUNTED) return cell;
  u32 *count = &f->reached[at->n < 0 ? f->instrs * 2 + ~at->n : at->n * 2 + (at->n < f->seg_start[local])];
  if (*count < w->slice->max_followed_per_instruction) {
    ++*count;
    w->how[cell] |= COUNTED;
    return cell;
  }
  w->slice->followed_all = 0;
  at->i = (i64)folded(r, f, *at);
  return cell_of(w, f, local, *at);
}

/* Lets an instance wait that is reached at this cost, to which that of the edge is added unless it is a root. */
static void push(struct walk *w, struct node at, u64 cost, u8 how) {
  struct run *r = w->run;
  if (at.i < 0 || (u64)at.i >= r->seg_count) {
    w->failed = 1;
    return;
  }
  struct function *f = bf_function_of(r, (u64)at.i);
  i64 cell = !f ? NOTHING : how == NO_EDGE ? cell_of(w, f, local_segment(r, f, (u64)at.i), at) : target_cell(w, f, &at);
  if (cell >= 0 && how != NO_EDGE) cost += cost_of(r, f, at.n, how);
  if (cell < 0 || cost >= UNSEEN) {
    w->failed = 1;
    return;
  }
  if (cost >= w->cost[cell]) return;
  struct bucket *b = &w->buckets[cost % BUCKETS];
  if (!grow((void **)&b->rows, &b->room, b->count + 1, sizeof(struct waiting))) {
    w->failed = 1;
    return;
  }
  w->cost[cell] = (u32)cost;
  w->how[cell] = (u8)((w->how[cell] & COUNTED) | how);
  b->rows[b->count++] = (struct waiting){KEY(at.i, at.n), (u64)cell};
  w->waiting++;
}

static void sort_descending(struct waiting *a, u64 n) {
  while (n > 24) {
    u64 x = a[0].key, y = a[n / 2].key, z = a[n - 1].key, pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
    i64 low = -1, high = (i64)n;
    for (;;) {
      do low++;
      while (a[low].key > pivot);
      do high--;
      while (a[high].key < pivot);
      if (low >= high) break;
      struct waiting t = a[low];
      a[low] = a[high], a[high] = t;
    }
    u64 left = (u64)high + 1;
    if (left < n - left) {
      sort_descending(a, left);
      a += left, n -= left;
    } else {
      sort_descending(a + left, n - left);
      n = left;
    }
  }
  for (u64 k = 1; k < n; k++) {
    struct waiting x = a[k];
    u64 j = k;
    for (; j && a[j - 1].key < x.key; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

/* ---- what is reported ----------------------------------------------------------------------------------------------- */

/* The row of the totals for an instruction; instances whose statement is the call that led to them have one for each caller. */
static struct total *total_of(struct walk *w, struct function *f, struct node at) {
  struct slice *s = w->slice;
  u32 segment = segment_of(w->run, (u64)at.i), caller = NO_FRAME;
  struct node call;
  u32 *direct = 0; /* where the row of an instruction that needs no caller is remembered */
  if (at.n < 0 || f->by_caller[at.n]) caller = bf_call_of(w->run, (u64)at.i, &call) ? segment_of(w->run, (u64)call.i) : NO_FRAME;
  else {
    direct = &f->total_row[at.n * 2 + (at.n < f->seg_start[segment - (u32)f->first_segment])];
    if (*direct && *direct <= s->total_count && s->totals[*direct - 1].segment == segment && s->totals[*direct - 1].n == at.n) return &s->totals[*direct - 1];
  }
  if (s->total_count * 2 >= s->total_index_room) {
    u64 room = s->total_index_room ? s->total_index_room * 2 : 4096;
    u32 *index = calloc(room, sizeof(u32));
    if (!index) return 0;
    for (u64 k = 0; k < s->total_count; k++) {
      struct total *t = &s->totals[k];
      u64 h = ((u64)t->segment * 0x9E3779B97F4A7C15u + (u64)(u32)t->n * 0xC2B2AE3D27D4EB4Fu + t->caller) * 0x9E3779B97F4A7C15u >> 32;
      while (index[h % room]) h++;
      index[h % room] = (u32)k + 1;
    }
    free(s->total_index);
    s->total_index = index, s->total_index_room = room;
  }
  u64 h = ((u64)segment * 0x9E3779B97F4A7C15u + (u64)(u32)at.n * 0xC2B2AE3D27D4EB4Fu + caller) * 0x9E3779B97F4A7C15u >> 32;
  for (;; h++) {
    u32 *at_index = &s->total_index[h % s->total_index_room];
    if (!*at_index) {
      if (!grow((void **)&s->totals, &s->total_room, s->total_count + 1, sizeof(struct total))) return 0;
      s->totals[s->total_count] = (struct total){.segment = segment, .n = at.n, .caller = caller, .first = UNSEEN};
      *at_index = (u32)++s->total_count;
      if (direct) *direct = *at_index;
      return &s->totals[s->total_count - 1];
    }
    struct total *t = &s->totals[*at_index - 1];
    if (t->segment == segment && t->n == at.n && t->caller == caller) {
      if (direct) *direct = *at_index;
      return t;
    }
  }
}

static int report(struct walk *w, struct total *t, struct node at, u32 cost, u8 how) {
  struct slice *s = w->slice;
  if (!t->count++) t->first = (u32)at.i, t->distance = cost;
  t->how |= how == NO_EDGE ? 0 : 1u << how;
  s->size++;
  if (s->listed == s->max_listed || t->count > s->max_per_instruction) s->listed_all = 0;
  else {
    u64 k = s->listed++;
    s->listed_i[k] = (u32)at.i, s->listed_n[k] = at.n, s->listed_cost[k] = cost, s->listed_how[k] = how;
  }
  return 1;
}

/* Notes a byte that no instance wrote, with the first instance that read it. */
static int note_byte(struct walk *w, struct known *set, struct byte_rows *rows, u64 address, struct node reader, u32 cost) {
  if (set->count * 2 >= set->room) {
    u64 room = set->room ? set->room * 2 : 1024;
    u64 *keys = calloc(room, sizeof(u64));
    if (!keys) return 0;
    for (u64 k = 0; k < set->room; k++)
      if (set->keys[k]) {
        u64 h = set->keys[k] * 0x9E3779B97F4A7C15u >> 20;
        while (keys[h % room]) h++;
        keys[h % room] = set->keys[k];
      }
    free(set->keys);
    set->keys = keys, set->room = room;
  }
  u64 key = address + 1, h = key * 0x9E3779B97F4A7C15u >> 20;
  for (; set->keys[h % set->room]; h++)
    if (set->keys[h % set->room] == key) return 1;
  set->keys[h % set->room] = key;
  set->count++;
  if (!grow((void **)&rows->rows, &rows->room, rows->count + 1, sizeof(struct byte_row))) return 0;
  rows->rows[rows->count++] = (struct byte_row){.address = address, .i = (u32)reader.i, .n = reader.n, .distance = cost};
  (void)w;
  return 1;
}

/* ---- the walk ------------------------------------------------------------------------------------------------------- */

static void visit(struct walk *w, struct function *f, const struct total *total, struct node at, u32 cost, u64 first_cell) {
  struct run *r = w->run;
  struct slice *s = w->slice;
  struct edges *out = &w->edges;
  int is_anchor = at.i == s->anchor_i && at.n == s->anchor_n;
  out->count = 0, out->failed = 0;
  if (!is_anchor) bf_edges(r, at, out);
  struct node parent;
  if (s->with_control && w->cost[first_cell] == UNSEEN) { /* the nearest instance of the segment is the first */
    w->cost[first_cell] = 0;
    if (bf_control(r, (u64)at.i, &parent)) bf_add_edge(out, EDGE_CONTROL, parent.i, parent.n);
  }
  if (s->with_potential && at.n >= 0 && !is_anchor && f->kind[at.n] == KIND_LOAD) {
    if (s->size > s->max_asked || total->count > s->max_asked_per_instruction) s->asked_all = 0;
    else {
      u64 count = r->python_potential(at.i, at.n);
      for (u64 k = 0; k < count; k++) bf_add_edge(out, EDGE_POTENTIAL, r->answer_i[k], r->answer_n[k]);
    }
  }
  for (u64 k = 0; k < out->count && !w->failed; k++) {
    struct edge *e = &out->rows[k];
    if (e->kind == EDGE_INITIAL || e->kind == EDGE_UNINIT) {
      int is_initial = e->kind == EDGE_INITIAL;
      if (!note_byte(w, is_initial ? &w->initial : &w->uninit, is_initial ? &s->initial : &s->uninit, (u64)e->i, at, cost)) w->failed = 1;
    } else push(w, (struct node){e->i, e->n}, cost, (u8)e->kind);
  }
}

static int is_stopped(struct walk *w) {
  struct slice *s = w->slice;
  return s->size >= s->limit || w->run->bytes_used > s->max_bytes || (s->size % s->instances_per_stop_check == s->instances_per_stop_check - 1 && w->run->is_stopped());
}

/* Asks for the memory that an instance further down in the bucket needs: most of the time of a walk is spent waiting for memory. */
static void fetch(const struct walk *w, const struct waiting *row) {
  const struct run *r = w->run;
  u64 i = (u64)KEY_I(row->key), j = i % WINDOW;
  const struct window *v = &r->windows[i / WINDOW % r->windows_kept];
  __builtin_prefetch(&w->cost[row->cell]);
  __builtin_prefetch(&w->how[row->cell]);
  __builtin_prefetch(&v->frame[j]);
  __builtin_prefetch(&v->loads[j]);
  __builtin_prefetch(&v->stores[j]);
  __builtin_prefetch(&v->escapes[j]);
}

static void run_walk(struct walk *w) {
  for (u64 cost = 0; w->waiting && !w->failed; cost++) {
    struct bucket *b = &w->buckets[cost % BUCKETS];
    if (!b->count) continue;
    struct bucket mine = *b; /* every edge costs something, so nothing is added to it any more */
    *b = w->current;
    b->count = 0;
    w->current = mine;
    sort_descending(mine.rows, mine.count);
    for (u64 k = 0; k < mine.count && !w->failed; k++) {
      struct node at = {KEY_I(mine.rows[k].key), KEY_N(mine.rows[k].key)};
      u64 cell = mine.rows[k].cell;
      w->waiting--;
      if (k + AHEAD < mine.count) fetch(w, &mine.rows[k + AHEAD]);
      if (w->cost[cell] != cost) continue; /* it was reached on a shorter way */
      if (is_stopped(w)) {
        w->slice->followed_all = 0;
        return;
      }
      struct function *f = bf_function_of(w->run, (u64)at.i);
      struct total *total = total_of(w, f, at);
      if (!total || !report(w, total, at, (u32)cost, w->how[cell] & (u8)~COUNTED)) w->failed = 1;
      else visit(w, f, total, at, (u32)cost, cell - (u64)place_of(f, local_segment(w->run, f, (u64)at.i), at.n));
    }
  }
}

/* 1 if the slice was computed; 0 if the log is damaged or memory is short. */
int bf_slice(struct run *r, struct slice *s) {
  struct walk w = {.run = r, .slice = s};
  u64 before = r->bytes_used;
  s->followed_all = s->listed_all = s->asked_all = 1;
  w.cells = calloc(r->check_count ? r->check_count : 1, sizeof *w.cells);
  w.failed = !w.cells;
  for (u64 k = 0; k < r->function_count; k++)
    if (r->functions[k]) memset(r->functions[k]->reached, 0, ((u64)r->functions[k]->instrs * 2 + (u64)r->functions[k]->params) * sizeof(u32));
  for (u64 k = 0; k < s->roots && !w.failed; k++) push(&w, (struct node){s->root_i[k], s->root_n[k]}, s->root_cost[k], NO_EDGE);
  run_walk(&w);
  for (u64 k = 0; w.cells && k < r->check_count; k++) free(w.cells[k]);
  for (u32 k = 0; k < BUCKETS; k++) free(w.buckets[k].rows);
  free(w.current.rows), free(w.cells), free(w.cost), free(w.how), free(w.initial.keys), free(w.uninit.keys), free(w.edges.rows);
  r->bytes_used = before;
  return !w.failed && !r->damaged;
}

void bf_slice_free(struct slice *s) {
  free(s->totals), free(s->total_index), free(s->initial.rows), free(s->uninit.rows);
  s->totals = 0, s->total_index = 0, s->initial.rows = s->uninit.rows = 0;
}

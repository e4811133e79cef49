/* Last writers of bytes that were read: trace/last_writers.py is the specification. */
#include "kernel.h"

enum { SOURCE_STORE, SOURCE_EVENT, SOURCE_INITIAL, SOURCE_UNINIT, SOURCE_FOREIGN, SOURCE_CHANGED };
enum { MAX_PENDING = 256 }; /* runs of bytes and sources of one access; Python is asked about more */
#define RECORD_NUMBER(id) (((id) & 0x3fffffffu) >> 3)

struct item { u64 size, address; u32 writer; int has_address; };
struct source { u64 number, address; int kind; };
struct search { struct item work[MAX_PENDING], seen[MAX_PENDING]; struct source found[MAX_PENDING]; u32 works, seens, founds; int failed; };

int bf_writer(struct run *r, u64 i, u64 load, u64 stores_before, u32 *writer) {
  u8 delta = r->load[load];
  if (delta != ESCAPED) {
    if (stores_before < delta) return 0;
    *writer = (u32)((stores_before - delta) << 3);
    return 1;
  }
  u64 number = i / WINDOW;
  struct window *w = bf_window(r, number);
  u64 rank = w->escapes[i % WINDOW];
  for (u64 k = r->check[number].loads + w->loads[i % WINDOW]; k < load; k++) rank += r->load[k] == ESCAPED;
  u64 at = r->check[number].escapes + rank;
  if (at >= r->escape_count) return 0;
  *writer = r->escape[at];
  return 1;
}

static void push(struct search *s, u32 writer, u64 size, u64 address, int has_address) {
  if (s->works == MAX_PENDING) s->failed = 1;
  else s->work[s->works++] = (struct item){size, address, writer, has_address};
}

static void add(struct search *s, int kind, u64 number, u64 address) {
  for (u32 k = 0; k < s->founds; k++)
    if (s->found[k].kind == kind && s->found[k].number == number && s->found[k].address == address) return;
  if (s->founds == MAX_PENDING) s->failed = 1;
  else s->found[s->founds++] = (struct source){number, address, kind};
}

static int is_global(struct run *r, u64 address) {
  u64 low = 0, high = r->globals;
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (r->global_start[middle] <= address) low = middle + 1;
    else high = middle;
  }
  return low && address < r->global_end[low - 1];
}

static int is_unchanging(struct run *r, u64 address) {
  for (u64 k = 0; k < r->unchanging_count; k++)
    if (r->unchanging[k] == address) return 1;
  return 0;
}

static int is_constant(u32 writer) { return writer == 0 || writer >= FIRST_EVENT_ID; }

/* The bytes of an irregular read, by the runs that have one writer. */
static void read_runs(struct run *r, struct search *s, u64 number, u32 first, u64 size) {
  if (number == 0 || number > r->read_count) {
    s->failed = 1;
    return;
  }
  const struct read_rec *x = &r->read[number - 1];
  u32 ids[256 + 8], count = 0;
  u64 runs = x->runs == 1 ? 1 : x->runs;
  if (x->runs != 1 && (u64)x->source + runs > r->run_count) {
    s->failed = 1;
    return;
  }
  for (u64 k = 0; k < runs; k++) {
    u32 start = x->runs == 1 ? 0 : r->run[x->source + k].offset, w = x->runs == 1 ? x->source : r->run[x->source + k].id;
    u32 end = k + 1 < runs ? r->run[x->source + k + 1].offset : x->size;
    for (u32 b = start; b < end && count < 256; b++) ids[count++] = is_constant(w) ? w : w + (b - start);
  }
  u64 end = x->size < first + size ? x->size : first + size;
  if (count > end) count = (u32)end;
  for (u32 k = first; k < count;) {
    u32 w = ids[k], length = 1;
    while (k + length < count && ids[k + length] == (is_constant(w) ? w : w + length)) length++;
    if (w == 0) {
      if (x->flags & READ_FOREIGN && x->event && !is_unchanging(r, x->addr)) add(s, SOURCE_CHANGED, x->event, x->addr + k);
      add(s, x->flags & READ_UNINIT ? SOURCE_UNINIT : x->flags & READ_INITIAL ? SOURCE_INITIAL : SOURCE_FOREIGN, number, x->addr + k);
    } else if (!(x->flags & READ_CHANGED)) push(s, w, length, x->addr + k, 1);
    k += length;
  }
  if (x->flags & READ_CHANGED) add(s, SOURCE_CHANGED, x->event, x->addr);
}

/* Calls `each` for every run of bytes with one writer among bytes low..high that an event read. */
#define FOR_RUNS_READ(r, e, low, high, base, WRITER, SIZE, ADDRESS, body)                                                            \
  do {                                                                                                                               \
    u64 at_ = (e)->run, count_ = (e)->runs, a_ = 0, b_ = count_;                                                                     \
    if (at_ + count_ > (r)->run_count) break;                                                                                        \
    while (a_ < b_) {                                                                                                                \
      u64 m_ = (a_ + b_) / 2;                                                                                                        \
      if ((i64)(r)->run[at_ + m_].offset <= (low)) a_ = m_ + 1;                                                                      \
      else b_ = m_;                                                                                                                  \
    }                                                                                                                                \
    for (u64 k_ = a_ ? a_ - 1 : 0; k_ < count_ && (i64)(r)->run[at_ + k_].offset < (high); k_++) {                                   \
      i64 start_ = (r)->run[at_ + k_].offset, end_ = k_ + 1 < count_ ? (i64)(r)->run[at_ + k_ + 1].offset : (i64)(e)->len;           \
      u32 WRITER = (r)->run[at_ + k_].id;                                                                                            \
      i64 cut_ = (low) > start_ ? (low) : start_;                                                                                    \
      if (WRITER && WRITER < FIRST_EVENT_ID) WRITER += (u32)(cut_ - start_);                                                         \
      i64 SIZE = (end_ < (high) ? end_ : (high)) - cut_;                                                                             \
      u64 ADDRESS = (base) + (u64)cut_;                                                                                              \
      body                                                                                                                           \
    }                                                                                                                                \
  } while (0)

static void step(struct run *r, struct search *s, struct item x) {
  if (x.writer == 0) {
    u64 address = x.has_address ? x.address : 0;
    add(s, is_global(r, address) ? SOURCE_INITIAL : SOURCE_UNINIT, 0, address);
  } else if (x.writer < FIRST_READ_ID) {
    for (u64 k = x.writer >> 3; k <= (x.writer + (x.size ? x.size : 1) - 1) >> 3; k++) add(s, SOURCE_STORE, k, 0);
  } else if (x.writer < FIRST_EVENT_ID) {
    read_runs(r, s, RECORD_NUMBER(x.writer), x.writer & 7, x.size);
  } else {
    u64 number = RECORD_NUMBER(x.writer);
    add(s, SOURCE_EVENT, number, 0);
    if (number == 0 || number > r->event_count) {
      s->failed = 1;
      return;
    }
    const struct event_rec *e = &r->event[number - 1];
    if (e->kind != EVENT_COPY) return;
    i64 low = x.has_address ? (i64)(x.address - e->addr) : 0, high = x.has_address ? low + (i64)x.size : (i64)e->len;
    FOR_RUNS_READ(r, e, low, high, e->addr2, writer, size, address, push(s, writer, (u64)size, address, 1););
  }
}

static int same(struct item a, struct item b) {
  return a.writer == b.writer && a.size == b.size && a.has_address == b.has_address && (!a.has_address || a.address == b.address);
}

static void find_sources(struct run *r, struct search *s) {
  while (s->works && !s->failed) {
    struct item x = s->work[--s->works];
    u32 k = 0;
    while (k < s->seens && !same(s->seen[k], x)) k++;
    if (k < s->seens) continue;
    if (s->seens == MAX_PENDING) s->failed = 1;
    else {
      s->seen[s->seens++] = x;
      step(r, s, x);
    }
  }
}

/* Whether a load may have read an argument through a va_list: Python finds out which. */
static int may_be_variadic(struct run *r, u64 i) {
  struct node call;
  for (int depth = 0; depth < 4; depth++) {
    struct function *f = bf_function_of(r, i);
    if (!f || !bf_call_of(r, i, &call)) return 0;
    if (f->variadic) return 1;
    i = (u64)call.i;
  }
  return 0;
}

static int event_edge(struct run *r, u64 number, struct edges *out) {
  if (!number) return 1;
  if (number > r->event_count) return 0;
  const struct event_rec *e = &r->event[number - 1];
  if (e->kind == EVENT_BEFORE) return 1;
  if (e->seg >= r->seg_count) return 0;
  struct node call;
  if (e->site != NO_SITE) bf_add_edge(out, EDGE_DATA, e->seg, (i32)e->site);
  else if (table(r, segment_of(r, e->seg), FLAGS) & CALL) {
    struct function *f = bf_function_of(r, e->seg);
    if (!f) return 0;
    bf_add_edge(out, EDGE_DATA, e->seg, f->seg_end[local_segment(r, f, e->seg)] - 1);
  } else if (bf_call_of(r, e->seg, &call)) bf_add_edge(out, EDGE_DATA, call.i, call.n);
  return 1;
}

static int store_edge(struct run *r, u64 number, u64 near, struct edges *out) {
  i64 i = bf_segment_of_store(r, number, near / WINDOW);
  struct function *f = i < 0 ? 0 : bf_function_of(r, (u64)i);
  if (!f) return 0;
  struct window *w = bf_window(r, (u64)i / WINDOW);
  u64 k = number - 1 - r->check[(u64)i / WINDOW].stores - w->stores[(u64)i % WINDOW];
  u32 local = local_segment(r, f, (u64)i);
  if (f->store_first[local] + (i64)k >= f->store_first[local + 1]) return 0;
  bf_add_edge(out, EDGE_DATA, i, f->store_instr[f->store_first[local] + (i64)k]);
  return 1;
}

/* Appends the edges to the sources of bytes. `out->failed` is 1 if there are none because the log does not say, 2 if Python has to be asked. */
void bf_source_edges(struct run *r, struct node reader, u32 writer, u64 size, u64 address, int has_address, struct edges *out) {
  if (writer && writer < FIRST_READ_ID && size <= 8 && writer >> 3 == (writer + (size ? size : 1) - 1) >> 3) { /* nearly always */
    if (!store_edge(r, writer >> 3, (u64)reader.i, out)) out->failed = 1;
    return;
  }
  struct search s;
  s.works = s.seens = s.founds = 0, s.failed = 0;
  push(&s, writer, size, address, has_address);
  find_sources(r, &s);
  if (s.failed) {
    out->failed = 2;
    return;
  }
  for (u32 k = 0; k < s.founds && !out->failed; k++) {
    struct source x = s.found[k];
    int outside = x.kind == SOURCE_UNINIT || x.kind == SOURCE_FOREIGN || x.kind == SOURCE_CHANGED;
    if (outside && reader.n != NOTHING && may_be_variadic(r, (u64)reader.i)) out->failed = 2;
    else if (x.kind == SOURCE_STORE) out->failed = !store_edge(r, x.number, (u64)reader.i, out);
    else if (x.kind == SOURCE_EVENT || x.kind == SOURCE_CHANGED) out->failed = event_edge(r, x.number, out) ? 0 : 2;
    else if (x.kind == SOURCE_INITIAL) bf_add_edge(out, EDGE_INITIAL, (i64)x.address, -1);
    else if (x.kind == SOURCE_UNINIT) bf_add_edge(out, EDGE_UNINIT, (i64)x.address, -2);
  }
}

u64 bf_first_event(struct run *r, u64 i) {
  u64 low = 0, high = r->event_count;
  if (high && !r->event_order) r->order_events();
  if (high && !r->event_order) {
    r->damaged = 1;
    return high;
  }
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (r->event_segment[middle] < i) low = middle + 1;
    else high = middle;
  }
  return low;
}

void bf_library_reads(struct run *r, u64 i, struct edges *out) {
  u64 low = bf_first_event(r, i);
  struct node library = {(i64)i, NOTHING};
  for (; low < r->event_count && r->event_segment[low] == i; low++) {
    const struct event_rec *e = &r->event[r->event_order[low]];
    if (e->kind != EVENT_READ_BY_CALL) continue;
    FOR_RUNS_READ(r, e, (i64)0, (i64)e->len, e->addr, writer, size, address, {
      bf_source_edges(r, library, writer, (u64)size, address, 1, out);
      if (out->failed) return;
    });
  }
}

/* The full replay: every value, address and branch recomputed and compared with what was recorded. trace/replay/full_replay.py is the
   specification, and the judge: at the first difference, and where an instruction is not known here, the kernel gives up and Python does it all. */
#include "kernel.h"

enum { MAX_EVENT_BYTES = 1 << 28 }; /* a longer one is left to Python, or the log is damaged */
enum { NO_BLOCK = -2 }; /* before the first block that ran in the recorded part */
enum { PAGE = 4096, DEAD_STACK_BYTES = 1 << 16, MAX_STACK_ARGUMENT_BYTES = 1 << 20, MAX_ARGUMENTS = 256 };

/* ---- memory: bytes that are known or not ---------------------------------------------------------------------------- */

struct page { u64 number; u8 values[PAGE], known[PAGE]; };
struct memory { struct page **rows; u64 room, count; struct page *last; int failed; };

static u64 page_hash(u64 number) { return number * 0x9E3779B97F4A7C15u >> 17; }

static struct page *find_page(struct memory *m, u64 number, int make) {
  if (m->last && m->last->number == number) return m->last;
  if (m->count * 2 >= m->room) {
    u64 room = m->room ? m->room * 2 : 1024;
    struct page **rows = calloc(room, sizeof *rows);
    if (!rows) {
      m->failed = 1;
      return 0;
    }
    for (u64 k = 0; k < m->room; k++)
      if (m->rows[k]) {
        u64 h = page_hash(m->rows[k]->number);
        while (rows[h % room]) h++;
        rows[h % room] = m->rows[k];
      }
    free(m->rows);
    m->rows = rows, m->room = room;
  }
  u64 h = page_hash(number);
  for (; m->rows[h % m->room]; h++)
    if (m->rows[h % m->room]->number == number) return m->last = m->rows[h % m->room];
  if (!make) return 0;
  struct page *p = calloc(1, sizeof *p);
  if (!p) {
    m->failed = 1;
    return 0;
  }
  p->number = number;
  m->rows[h % m->room] = p;
  m->count++;
  return m->last = p;
}

static void put_byte(struct memory *m, u64 address, u8 value, u8 known) {
  struct page *p = find_page(m, address / PAGE, known);
  if (!p) return;
  if (known) p->values[address % PAGE] = value;
  p->known[address % PAGE] = known;
}

static void put(struct memory *m, u64 address, const u8 *data, u64 size) {
  struct page *p = find_page(m, address / PAGE, 1);
  if (p && address % PAGE + size <= PAGE) {
    memcpy(p->values + address % PAGE, data, size);
    memset(p->known + address % PAGE, 1, size);
  } else
    for (u64 k = 0; k < size; k++) put_byte(m, address + k, data[k], 1);
}

static void forget(struct memory *m, u64 address, u64 size) {
  while (size) {
    u64 count = PAGE - address % PAGE < size ? PAGE - address % PAGE : size;
    struct page *p = find_page(m, address / PAGE, 0);
    if (p) memset(p->known + address % PAGE, 0, count);
    address += count, size -= count;
  }
}

/* Whether all bytes are known; if so they are in `data`. */
static int get(struct memory *m, u64 address, u8 *data, u64 size) {
  u64 at = address % PAGE;
  struct page *whole = at + size <= PAGE ? find_page(m, address / PAGE, 0) : 0;
  if (whole) {
    for (u64 k = 0; k < size; k++)
      if (!whole->known[at + k]) return 0;
    memcpy(data, whole->values + at, size);
    return 1;
  }
  for (u64 k = 0; k < size; k++) {
    struct page *p = find_page(m, (address + k) / PAGE, 0);
    if (!p || !p->known[(address + k) % PAGE]) return 0;
    data[k] = p->values[(address + k) % PAGE];
  }
  return 1;
}

static void copy_bytes(struct memory *m, u64 to, u64 from, u64 size) {
  for (u64 n = 0; n < size; n++) {
    u64 k = to <= from ? n : size - 1 - n; /* as memmove */
    struct page *p = find_page(m, (from + k) / PAGE, 0);
    int known = p && p->known[(from + k) % PAGE];
    put_byte(m, to + k, known ? p->values[(from + k) % PAGE] : 0, (u8)known);
  }
}

static void free_memory(struct memory *m) {
  for (u64 k = 0; k < m->room; k++) free(m->rows[k]);
  free(m->rows);
}

/* ---- state ---------------------------------------------------------------------------------------------------------- */

struct live { struct function *f; struct replay_function *p; u64 base, low, registers; u32 number; i32 block, came_from; };
struct state {
  struct run *run;
  struct replay *replay;
  struct memory memory;
  struct live *frames;
  u64 depth, frame_room;
  u64 *values; /* registers of all live frames */
  u8 *known;
  u64 register_count, register_room;
  struct { int is_set, count; i32 callee; u64 target; u64 values[MAX_ARGUMENTS]; u8 known[MAX_ARGUMENTS]; } pending;
  u64 returned, reads;
  u8 is_returned;
  int gives_up;
};
struct cursor { u64 load, store, byte, address; };

static struct live *top(struct state *s) { return &s->frames[s->depth - 1]; }

static int value_of(struct state *s, const struct live *l, i32 operand, u64 *out) {
  if (operand < 0) {
    *out = l->p->constants[~operand];
    return 1;
  }
  *out = s->values[l->registers + (u64)operand];
  return s->known[l->registers + (u64)operand];
}

static void set(struct state *s, const struct live *l, i32 slot, u64 value, int known) {
  if (slot < 0) return;
  s->values[l->registers + (u64)slot] = value;
  s->known[l->registers + (u64)slot] = (u8)known;
}

static int grow(void **rows, u64 room, u64 size) {
  void *p = realloc(*rows, room * size);
  if (p) *rows = p;
  return p != 0;
}

static struct replay_function *program_of(struct state *s, const struct function *f) {
  struct replay_function *p = s->replay->functions[f->index];
  if (!p) {
    s->replay->read_replay(f->index);
    p = s->replay->functions[f->index];
  }
  if (!p || p->gives_up) s->gives_up = 1;
  return p;
}

static struct live *push_frame(struct state *s, struct function *f, u32 number) {
  struct run *r = s->run;
  struct replay_function *p = program_of(s, f);
  if (s->gives_up || number >= r->frame_count) {
    s->gives_up = 1;
    return 0;
  }
  if (s->depth == s->frame_room) {
    s->frame_room = s->frame_room ? s->frame_room * 2 : 64;
    if (!grow((void **)&s->frames, s->frame_room, sizeof *s->frames)) s->gives_up = 1;
  }
  u64 needed = s->register_count + (u64)p->slots;
  if (needed > s->register_room) {
    s->register_room = needed * 2;
    if (!grow((void **)&s->values, s->register_room, sizeof(u64)) || !grow((void **)&s->known, s->register_room, 1)) s->gives_up = 1;
  }
  if (s->gives_up) return 0;
  const struct frame_rec *rec = &r->frame[number];
  s->frames[s->depth] = (struct live){f, p, rec->base, rec->base, s->register_count, number, 0, -1};
  memset(s->known + s->register_count, 0, (u64)p->slots);
  s->register_count = needed;
  return &s->frames[s->depth++];
}

static void begin_frame(struct state *s, struct function *f, u32 number) {
  struct live *l = push_frame(s, f, number);
  if (!l) return;
  struct replay_function *p = l->p;
  const struct frame_rec *rec = &s->run->frame[number];
  int is_called = s->pending.is_set && (s->pending.callee == CALLEE_INDIRECT ? f->has_address && f->address == s->pending.target : s->pending.callee == f->index);
  if (is_called && rec->parent != NO_FRAME)
    for (i32 k = 0; k < s->pending.count && k < f->params; k++) set(s, l, k, s->pending.values[k], s->pending.known[k]);
  s->pending.is_set = 0;
  forget(&s->memory, l->base, (u64)p->frame_size);
  if (f->variadic && s->depth > 1 && s->frames[s->depth - 2].number == rec->parent) {
    i64 gap = (i64)(s->frames[s->depth - 2].low - l->base - (u64)p->frame_size);
    if (gap > 0 && gap < MAX_STACK_ARGUMENT_BYTES) forget(&s->memory, l->base + (u64)p->frame_size, (u64)gap);
  }
}

/* A frame that was under way when the recorded part of the run began: only the addresses of its variables are known. */
static void resume_frame(struct state *s, struct function *f, u32 number) {
  struct live *l = push_frame(s, f, number);
  if (!l) return;
  l->block = NO_BLOCK;
  for (i32 n = 0; n < f->instrs; n++)
    if (l->p->op[n] == OP_STATIC_ALLOCA) set(s, l, l->p->slot[n], l->base + (u64)l->p->extra[l->p->extra_first[n]], 1);
}

static void end_frame(struct state *s) {
  s->depth--;
  s->register_count = s->frames[s->depth].registers;
}

/* Makes the frame of a segment instance the innermost one; frames that longjmp left are dropped. */
static void enter(struct state *s, u64 i, struct function *f, u32 local) {
  struct run *r = s->run;
  u32 number = frame_of(r, i);
  if (table(r, segment_of(r, i), FLAGS) & ENTRY) begin_frame(s, f, number);
  else
    while (s->depth && top(s)->number != number) end_frame(s);
  if (!s->depth && !s->gives_up && number < r->frame_count && r->frame[number].caller == NO_SEGMENT) resume_frame(s, f, number);
  if (s->gives_up || !s->depth || top(s)->f != f) {
    s->gives_up = 1;
    return;
  }
  struct live *l = top(s);
  i32 block = f->seg_block[local];
  if (f->seg_start[local] == l->p->block_start[block]) l->came_from = l->block, l->block = block;
}

/* ---- memory accesses ------------------------------------------------------------------------------------------------ */

static void apply_events(struct state *s, u64 i, u32 site) {
  struct run *r = s->run;
  for (u64 k = bf_first_event(r, i); k < r->event_count && r->event_segment[k] == i; k++) {
    const struct event_rec *e = &r->event[r->event_order[k]];
    if (e->site != site) continue;
    if (e->len > MAX_EVENT_BYTES) s->gives_up = 1;
    else if (e->kind == EVENT_COPY) copy_bytes(&s->memory, e->addr, e->addr2, e->len);
    else if (e->kind == EVENT_WRITE || e->kind == EVENT_INPUT || e->kind == EVENT_FILL) forget(&s->memory, e->addr, e->len);
    else if (e->kind == EVENT_BIRTH)
      for (u64 b = 0; b < e->len; b++) put_byte(&s->memory, e->addr + b, 0, 1);
  }
}

/* The bytes that a writer left. */
static int written_bytes(struct state *s, u32 writer, u64 near, u8 *data, u64 size) {
  struct run *r = s->run;
  u64 first = writer & 7, number = (writer & 0x3fffffffu) >> 3;
  if (writer >= FIRST_READ_ID) {
    if (writer >= FIRST_EVENT_ID || !number || number > r->read_count || first + size > 8) return 0;
    u64 value = r->read[number - 1].value >> 8 * first;
    memcpy(data, &value, size);
    return 1;
  }
  i64 i = bf_segment_of_store(r, writer >> 3, near / WINDOW);
  struct function *f = i < 0 ? 0 : bf_function_of(r, (u64)i);
  struct replay_function *p = f ? program_of(s, f) : 0;
  if (!p || s->gives_up) return 0;
  struct window *w = bf_window(r, (u64)i / WINDOW);
  const struct check_rec *c = &r->check[(u64)i / WINDOW];
  u64 k = (writer >> 3) - 1 - c->stores - w->stores[(u64)i % WINDOW];
  u32 local = local_segment(r, f, (u64)i);
  if (f->store_first[local] + (i64)k >= f->store_first[local + 1]) return 0;
  u64 at = c->bytes + w->bytes[(u64)i % WINDOW] + (u64)p->store_byte[f->store_first[local] + (i64)k] + first;
  if (at > r->value_count || size > r->value_count - at) return 0;
  memcpy(data, r->value + at, size);
  return 1;
}

static int is_dead(u64 address, const struct live *l) { return l->low - DEAD_STACK_BYTES < address && address < l->low; }

static int differs(struct state *s, u64 address, u64 size, const u8 *recorded, u32 writer, int is_fresh) {
  u8 mine[8];
  int known = get(&s->memory, address, mine, size), same = known;
  for (u64 k = 0; k < size && same; k++) same = mine[k] == recorded[k];
  if (same) return 0;
  int is_read = writer >= FIRST_READ_ID && writer < FIRST_EVENT_ID;
  const struct read_rec *x = is_read ? &s->run->read[((writer & 0x3fffffffu) >> 3) - 1] : 0;
  if (x && x->addr + (writer & 7) != address) return 1;
  int may_be_unknown = is_fresh || (s->run->event_count && s->run->event[0].kind == EVENT_BEFORE);
  if (known ? !(is_fresh && x && x->flags) : !may_be_unknown) return 1;
  s->replay->from_outside++;
  put(&s->memory, address, recorded, size);
  return 0;
}

static void load(struct state *s, u64 i, struct live *l, i32 n, struct cursor *at) {
  struct replay_function *p = l->p;
  u64 address, value = 0, done = 0, start;
  int is_known = value_of(s, l, p->args[p->arg_first[n]], &address);
  start = address;
  for (i32 k = p->extra_first[n]; k < p->extra_first[n + 1]; k++) {
    u64 size = (u64)p->extra[k];
    u8 recorded[8];
    u32 writer;
    if (at->load >= s->run->load_count || !bf_writer(s->run, i, at->load, at->store, &writer) || !written_bytes(s, writer, i, recorded, size)) {
      s->gives_up = 1;
      return;
    }
    u64 number = writer >= FIRST_READ_ID ? (writer & 0x3fffffffu) >> 3 : 0;
    int is_fresh = number > s->reads;
    if (is_fresh) s->reads = number;
    s->replay->loads++;
    if (is_known && !is_dead(address, l) && differs(s, address, size, recorded, writer, is_fresh)) s->gives_up = 1;
    memcpy((u8 *)&value + done, recorded, size);
    address += size, done += size, at->load++;
  }
  set(s, l, p->slot[n], value, !(is_known && is_dead(start, l)));
}

static int is_nan(u64 raw, int bits) {
  return bits == 64 ? (raw & 0x7fffffffffffffffu) > 0x7ff0000000000000u : (raw & 0x7fffffffu) > 0x7f800000u;
}

/* extra: whether the address is logged, the parts, the bytes, the bits of a float or 0 */
static void store(struct state *s, struct live *l, i32 n, struct cursor *at) {
  struct replay_function *p = l->p;
  struct run *r = s->run;
  const i64 *extra = &p->extra[p->extra_first[n]];
  u64 value, address, recorded = 0, size = (u64)extra[2];
  if (at->byte > r->value_count || size > r->value_count - at->byte) {
    s->gives_up = 1;
    return;
  }
  memcpy(&recorded, r->value + at->byte, size);
  s->replay->stores += (u64)extra[1];
  if (value_of(s, l, p->args[p->arg_first[n]], &value) && value != recorded)
    if (!extra[3] || !is_nan(value, (int)extra[3]) || !is_nan(recorded, (int)extra[3])) s->gives_up = 1;
  int is_known = value_of(s, l, p->args[p->arg_first[n] + 1], &address);
  if (extra[0]) {
    if (at->address >= r->address_count || (is_known && r->address[at->address] != address)) {
      s->gives_up = 1;
      return;
    }
    address = r->address[at->address++];
    is_known = 1;
  }
  if (is_known) put(&s->memory, address, (u8 *)&recorded, size);
  at->store += (u64)extra[1];
  at->byte += size;
}

/* ---- operations ----------------------------------------------------------------------------------------------------- */

static u64 mask_of(int bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }
static i64 signed_of(u64 x, int bits) { return bits >= 64 ? (i64)x : (i64)(x << (64 - bits)) >> (64 - bits); }
static double double_of(u64 raw, int bits) {
  double d;
  float f;
  u32 low = (u32)raw;
  if (bits == 64) return memcpy(&d, &raw, 8), d;
  return memcpy(&f, &low, 4), f;
}
static u64 raw_of(double d, int bits) {
  u64 raw = 0;
  float f = (float)d; /* rounding twice is exact for sums, products and quotients of floats */
  if (bits == 64) memcpy(&raw, &d, 8);
  else memcpy(&raw, &f, 4);
  return raw;
}

/* Predicates as bits: unordered, less, equal, greater. */
static int float_holds(i64 predicate, double a, double b) {
  return (int)(a != a || b != b ? predicate & 1 : a < b ? predicate >> 1 & 1 : a == b ? predicate >> 2 & 1 : predicate >> 3 & 1);
}

/* 1: the result is known, 0: it is not, -1: Python has to say. */
static int compute(struct replay_function *p, i32 n, const u64 *v, u64 *out) {
  int bits = p->bits[n], from = p->from[n];
  u64 mask = mask_of(bits), x = v[0], y = v[1];
  i64 a = signed_of(x, from ? from : bits), b = signed_of(y, from ? from : bits);
  const i64 *extra = &p->extra[p->extra_first[n]];
  u32 amount = bits <= 32 ? (u32)y & 31 : (u32)y & 63;
  double number;
  switch (p->op[n]) {
  case OP_COPY: *out = x; return 1;
  case OP_SELECT: *out = x ? y : v[2]; return 1;
  case OP_GEP: {
    u64 sum = x + (u64)extra[0];
    for (i32 k = 1; k < p->arg_first[n + 1] - p->arg_first[n]; k++) sum += (u64)(signed_of(v[k], (int)extra[2 * k - 1]) * extra[2 * k]);
    *out = sum;
    return 1;
  }
  case OP_ADD: *out = (x + y) & mask; return 1;
  case OP_SUB: *out = (x - y) & mask; return 1;
  case OP_MUL: *out = (x * y) & mask; return 1;
  case OP_AND: *out = x & y; return 1;
  case OP_OR: *out = x | y; return 1;
  case OP_XOR: *out = x ^ y; return 1;
  case OP_SHL: *out = (x << amount) & mask; return 1;
  case OP_LSHR: *out = x >> amount; return 1;
  case OP_ASHR: *out = (u64)(a >> amount) & mask; return 1;
  case OP_UDIV: case OP_UREM:
    if (!y) return 0;
    *out = p->op[n] == OP_UDIV ? x / y : x % y;
    return 1;
  case OP_SDIV: case OP_SREM:
    if (!b || (b == -1 && x == 1ull << (bits - 1))) return 0;
    *out = (u64)(p->op[n] == OP_SDIV ? a / b : a % b) & mask;
    return 1;
  case OP_EQ: *out = x == y; return 1;
  case OP_NE: *out = x != y; return 1;
  case OP_UGT: *out = x > y; return 1;
  case OP_UGE: *out = x >= y; return 1;
  case OP_ULT: *out = x < y; return 1;
  case OP_ULE: *out = x <= y; return 1;
  case OP_SGT: *out = a > b; return 1;
  case OP_SGE: *out = a >= b; return 1;
  case OP_SLT: *out = a < b; return 1;
  case OP_SLE: *out = a <= b; return 1;
  case OP_TRUNC: *out = x & mask; return 1;
  case OP_SEXT: *out = (u64)a & mask; return 1;
  case OP_FADD: *out = raw_of(double_of(x, bits) + double_of(y, bits), bits); return 1;
  case OP_FSUB: *out = raw_of(double_of(x, bits) - double_of(y, bits), bits); return 1;
  case OP_FMUL: *out = raw_of(double_of(x, bits) * double_of(y, bits), bits); return 1;
  case OP_FDIV: *out = raw_of(double_of(x, bits) / double_of(y, bits), bits); return 1;
  case OP_FMULADD: *out = raw_of(double_of(raw_of(double_of(x, bits) * double_of(y, bits), bits), bits) + double_of(v[2], bits), bits); return 1;
  case OP_FNEG: *out = x ^ 1ull << (bits - 1); return 1;
  case OP_FABS: *out = x & ~(1ull << (bits - 1)); return 1;
  case OP_FCMP: *out = (u64)float_holds(extra[0], double_of(x, from), double_of(y, from)); return 1;
  case OP_SITOFP:
    if (bits == 32) { float f = (float)a; *out = 0; memcpy(out, &f, 4); }
    else *out = raw_of((double)a, 64);
    return 1;
  case OP_UITOFP:
    if (bits == 32) { float f = (float)x; *out = 0; memcpy(out, &f, 4); }
    else *out = raw_of((double)x, 64);
    return 1;
  case OP_FPTOSI: case OP_FPTOUI:
    number = double_of(x, from);
    if (p->op[n] == OP_FPTOSI ? !(number > -9.2e18 && number < 9.2e18) : !(number > -1 && number < 9.2e18)) return -1;
    *out = (u64)(i64)number;
    if (p->op[n] == OP_FPTOSI ? signed_of(*out & mask, bits) != (i64)*out : *out > mask) return -1; /* it does not fit */
    *out &= mask;
    return 1;
  case OP_FPTRUNC: case OP_FPEXT: *out = raw_of(double_of(x, from), bits); return 1;
  }
  return -1;
}

static void plain(struct state *s, struct live *l, i32 n) {
  struct replay_function *p = l->p;
  i32 first = p->arg_first[n], count = p->arg_first[n + 1] - first;
  u64 v[16] = {0}, out = 0;
  int known = count <= 16 ? 1 : -1;
  for (i32 k = 0; k < count && known == 1; k++) known = value_of(s, l, p->args[first + k], &v[k]);
  if (known == 1) known = compute(p, n, v, &out);
  if (known < 0) s->gives_up = 1;
  else set(s, l, p->slot[n], out, known);
}

/* ---- control -------------------------------------------------------------------------------------------------------- */

static void branch(struct state *s, u64 i, struct live *l, i32 n) {
  struct replay_function *p = l->p;
  struct run *r = s->run;
  const i64 *extra = &p->extra[p->extra_first[n]];
  u64 value;
  if (!value_of(s, l, p->args[p->arg_first[n]], &value) || i + 1 >= r->seg_count) return;
  i64 target = extra[0];
  if (p->op[n] == OP_BR) target = value ? extra[0] : extra[1];
  else
    for (i32 k = 1; k < p->extra_first[n + 1] - p->extra_first[n]; k += 2)
      if ((u64)extra[k] == value) target = extra[k + 1];
  s->replay->branches++;
  if (frame_of(r, i + 1) != frame_of(r, i)) return; /* a signal handler ran in between */
  struct function *next = bf_function_of(r, i + 1);
  if (!next || next->seg_block[local_segment(r, next, i + 1)] != target) s->gives_up = 1;
}

static void call(struct state *s, u64 i, struct live *l, i32 n) {
  struct replay_function *p = l->p;
  struct run *r = s->run;
  i32 count = l->f->arg_types[n], first = p->arg_first[n];
  if (count > MAX_ARGUMENTS) {
    s->gives_up = 1;
    return;
  }
  s->pending.is_set = 1;
  s->pending.callee = l->f->callee[n];
  s->pending.count = count;
  for (i32 k = 0; k < count; k++) s->pending.known[k] = (u8)value_of(s, l, p->args[first + k], &s->pending.values[k]);
  if (p->op[n] != OP_CALL_INDIRECT) return;
  u64 number = i / WINDOW, at = r->check[number].words + bf_window(r, number)->words[i % WINDOW] + (u64)l->f->words_at[n], target;
  if (at >= r->word_count || (value_of(s, l, p->args[p->arg_first[n + 1] - 1], &target) && target != r->word[at])) s->gives_up = 1;
  else s->pending.target = r->word[at];
}

/* The register of the call before a segment. */
static void after_call(struct state *s, u64 i, struct live *l, i32 n, u64 words) {
  struct run *r = s->run;
  struct replay_function *p = l->p;
  u64 returned = s->returned;
  int is_returned = s->is_returned;
  s->is_returned = 0, s->pending.is_set = 0;
  if (p->slot[n] < 0) return;
  if (p->op[n] == OP_CALL) {
    set(s, l, p->slot[n], returned, is_returned);
    return;
  }
  u64 at = words + (table(r, segment_of(r, i), FLAGS) & SETJMP ? 1 : 0);
  if (at >= r->word_count || !p->bits[n]) {
    s->gives_up = 1;
    return;
  }
  u64 value = r->word[at] & mask_of(p->bits[n]);
  if (p->op[n] == OP_CALL_INDIRECT && is_returned && i > 0 && frame_of(r, i - 1) != frame_of(r, i)) {
    i64 before = bf_previous_in_frame(r, i);
    struct function *callee = bf_function_of(r, i - 1);
    if (before >= 0 && callee && bf_is_direct_call(r, (struct node){before, n}, callee) && returned != value) s->gives_up = 1;
  }
  set(s, l, p->slot[n], value, 1);
}

static void phis(struct state *s, struct live *l, i32 n, i32 end) {
  struct replay_function *p = l->p;
  u64 value[64];
  u8 known[64];
  i32 count = 0;
  for (; n + count < end && p->op[n + count] == OP_PHI; count++) {
    i32 k = 0, choices = p->extra_first[n + count + 1] - p->extra_first[n + count];
    while (k < choices && p->extra[p->extra_first[n + count] + k] != l->came_from) k++;
    if (l->came_from == NO_BLOCK && count < 64) {
      known[count] = 0, value[count] = 0;
      continue;
    }
    if (k == choices || count == 64) {
      s->gives_up = 1;
      return;
    }
    known[count] = (u8)value_of(s, l, p->args[p->arg_first[n + count] + k], &value[count]);
  }
  for (i32 k = 0; k < count; k++) set(s, l, p->slot[n + k], value[k], known[k]);
}

static void instruction(struct state *s, u64 i, struct live *l, i32 n, struct cursor *at, u64 words) {
  struct replay_function *p = l->p;
  struct run *r = s->run;
  switch (p->op[n]) {
  case OP_SKIP: case OP_PHI: break;
  case OP_STATIC_ALLOCA: set(s, l, p->slot[n], l->base + (u64)p->extra[p->extra_first[n]], 1); break;
  case OP_ALLOCA: case OP_CALL_LOGGED: {
    u64 place = words + (u64)l->f->words_at[n];
    if (place >= r->word_count) {
      s->gives_up = 1;
      break;
    }
    set(s, l, p->slot[n], r->word[place] & mask_of(p->bits[n]), 1);
    if (p->op[n] == OP_ALLOCA && r->word[place] < l->low) l->low = r->word[place];
    break;
  }
  case OP_LOAD: load(s, i, l, n, at); break;
  case OP_STORE: store(s, l, n, at); break;
  case OP_BR: case OP_SWITCH: branch(s, i, l, n); break;
  case OP_CALL: case OP_CALL_INDIRECT: call(s, i, l, n); break;
  case OP_CALL_LIBRARY: s->pending.is_set = 0; break;
  case OP_CALL_MEMORY: apply_events(s, i, (u32)n); break;
  case OP_GIVE_UP: s->gives_up = 1; break;
  default: plain(s, l, n);
  }
}

/* Whether the run ended before instruction n of its last segment. */
static int is_past_end(struct state *s, struct live *l, i32 n, const struct cursor *at) {
  struct replay_function *p = l->p;
  if (p->op[n] == OP_LOAD) return at->load + (u64)(p->extra_first[n + 1] - p->extra_first[n]) > s->replay->end_loads;
  return p->op[n] == OP_STORE && at->store + (u64)p->extra[p->extra_first[n] + 1] > s->replay->end_stores;
}

static void segment(struct state *s, u64 i) {
  struct run *r = s->run;
  struct function *f = bf_function_of(r, i);
  if (!f) {
    s->gives_up = 1;
    return;
  }
  u32 local = local_segment(r, f, i);
  i32 flags = table(r, segment_of(r, i), FLAGS);
  enter(s, i, f, local);
  if (s->gives_up) return;
  struct window *w = bf_window(r, i / WINDOW);
  const struct check_rec *c = &r->check[i / WINDOW];
  u32 j = (u32)(i % WINDOW);
  struct cursor at = {c->loads + w->loads[j], c->stores + w->stores[j], c->bytes + w->bytes[j], c->addresses + w->addresses[j]};
  u64 words = c->words + w->words[j];
  if (flags & AFTER) {
    i64 before = bf_previous_in_frame(r, i);
    if (before >= 0) apply_events(s, (u64)before, NO_SITE);
    after_call(s, i, top(s), f->seg_start[local] - 1, words);
  }
  i32 start = f->seg_start[local], end = f->seg_end[local];
  if (start == top(s)->p->block_start[f->seg_block[local]]) phis(s, top(s), start, end);
  for (i32 n = start; n < end && !s->gives_up; n++) {
    if (i == r->seg_count - 1 && is_past_end(s, top(s), n, &at)) return;
    s->replay->instructions++;
    instruction(s, i, top(s), n, &at, words);
  }
  if (flags & RET && !s->gives_up) {
    struct live *l = top(s);
    s->is_returned = 0;
    if (l->p->arg_first[end] > l->p->arg_first[end - 1]) s->is_returned = (u8)value_of(s, l, l->p->args[l->p->arg_first[end - 1]], &s->returned);
    end_frame(s);
  }
}

/* 1 if all of the run was compared and nothing differed; 0 if Python has to do it. */
int bf_replay(struct run *r, struct replay *replay) {
  struct state *s = calloc(1, sizeof *s);
  if (!s) return 0;
  s->run = r, s->replay = replay;
  for (u64 i = 0; i < r->seg_count && !s->gives_up && !r->damaged && !s->memory.failed; i++) {
    segment(s, i);
    if (i % (1 << 16) == 0 && r->is_stopped()) s->gives_up = 1; /* and to let Ctrl-C through */
  }
  int is_done = !s->gives_up && !r->damaged && !s->memory.failed;
  free_memory(&s->memory);
  free(s->frames), free(s->values), free(s->known), free(s);
  return is_done;
}

/* Kernels: the walks over the log that Python is too slow for, on the same columns. The Python modules that they stand in for are their
   specification; where a case is rare, the kernel asks Python. `layout.h` is made from trace/log/record_layout.py and structures.py. */
#ifndef BUTFOR_KERNEL_H
#define BUTFOR_KERNEL_H
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#include "layout.h"

/* No header of a C library is needed, so that none has to be built: the process that loads the kernels has these. */
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);

enum { ENTRY = 1, AFTER = 2, RET = 4, SETJMP = 8, CALL = 16 }; /* flags of a segment, as in ir/recording_segments.py */
enum { LOADS, STORES, BYTES, ADDRESSES, WORDS, FLAGS, OWNER, TABLE_WIDTH = 7 };
enum { NOTHING = -1 };

/* Segment instances of one window of the log, decoded. Counts are those before each segment instance, relative to the window's checkpoint. */
struct window {
  u64 tag; /* 1 + the number of the window, 0: empty */
  u32 frame[WINDOW], loads[WINDOW + 1], stores[WINDOW + 1], bytes[WINDOW + 1], addresses[WINDOW + 1], words[WINDOW + 1], escapes[WINDOW + 1];
};

struct node { i64 i; i32 n; }; /* an instance: segment instance and instruction, or ~k for parameter k */
struct edge { u32 kind; i32 n; i64 i; };
struct edges { struct edge *rows; u64 count, room; int failed; };

/* windows.c */
struct window *bf_window(struct run *r, u64 number);
static inline u32 segment_of(const struct run *r, u64 i) { return r->wide ? ((const u32 *)r->seg)[i] : ((const u16 *)r->seg)[i]; }
static inline i32 table(const struct run *r, u32 segment, int column) { return r->table[(u64)segment * TABLE_WIDTH + (u64)column]; }
static inline u32 frame_of(struct run *r, u64 i) { return bf_window(r, i / WINDOW)->frame[i % WINDOW]; }
i64 bf_previous_in_frame(struct run *r, u64 i);
i64 bf_next_in_frame(struct run *r, u64 i);
i64 bf_segment_of_store(struct run *r, u64 number, u64 near);
struct function *bf_function_of(struct run *r, u64 i); /* 0: it could not be read */
static inline u32 local_segment(struct run *r, const struct function *f, u64 i) { return segment_of(r, i) - (u32)f->first_segment; }

/* edges.c */
void bf_add_edge(struct edges *out, u32 kind, i64 i, i32 n);
int bf_call_of(struct run *r, u64 i, struct node *out);
int bf_is_direct_call(struct run *r, struct node call, const struct function *callee);
int bf_control(struct run *r, u64 i, struct node *out);
void bf_edges(struct run *r, struct node at, struct edges *out);

/* writers.c */
int bf_writer(struct run *r, u64 i, u64 load, u64 stores_before, u32 *writer);
void bf_source_edges(struct run *r, struct node reader, u32 writer, u64 size, u64 address, int has_address, struct edges *out);
u64 bf_first_event(struct run *r, u64 i); /* in the order of segment instances */
void bf_library_reads(struct run *r, u64 i, struct edges *out);
#endif

/* Columns of the log: what the reader in butfor/trace/log.py expects, byte for byte. */
#ifndef BUTFOR_LOG_H
#define BUTFOR_LOG_H
#include "rt.h"

#define BF_WINDOW 1024 /* segments between two checkpoints */

enum column { C_SEG, C_LOAD, C_ESCAPE, C_VALUE, C_ADDRESS, C_WORD, C_FRAME, C_READ, C_EVENT, C_RUN, C_OBJECT, C_DEATH, C_ERROR, C_OUTPUT, C_PIECE, C_TEXT, C_CHECK, C_COUNT };

#ifdef BF_WIDE_SEGMENTS
typedef u32 seg_t;
#else
typedef u16 seg_t;
#endif

struct col { u8 *at, *end, *buf, *zero; int fd; }; /* zero: where the column would begin if all of it were in the buffer */
extern BF_OWN struct col bf_cols[C_COUNT];

/* escape: the full writer id of each load that is 255 in its own column, in order: u32 */
struct frame_rec { u32 entry, caller, parent, object; u64 base; };       /* segment numbers; first object number at entry */
struct read_rec { u64 addr, value; u32 source, seg, event; u8 size, flags, runs, pad; }; /* source: the writer, or the first of several runs */
struct event_rec { u64 addr, addr2; u32 len, seg, site, run, runs; u8 kind, pad; int16_t stream; };
struct run_rec { u32 offset, id; };
struct object_rec { u64 start, size; u32 birth, site, frame; u8 kind, flags, pad[2]; };
struct death_rec { u32 object, seg; };
struct error_rec { u64 addr, size, load, store; u32 seg, object; u8 kind, is_write, pad[2]; u32 site; }; /* site: 1 + the instruction, of copies without a call */
struct output_rec { int64_t offset; u64 len; u32 seg, piece, pieces, pad; };
struct text_rec { u32 event; u8 bytes[12]; }; /* the first bytes of a text that a library call read or wrote, in as many rows as they need */
struct check_rec { u64 loads, bytes, addresses, words; u32 stores, frame, frames, reads, events, escapes; };

enum read_flags { RD_UNINIT = 1, RD_CHANGED = 2, RD_INITIAL = 4, RD_FOREIGN = 8 };

void bf_flush(int c);
static inline void *bf_put(int c, u64 n) {
  struct col *k = &bf_cols[c];
  if (__builtin_expect(k->at + n > k->end, 0)) bf_flush(c);
  u8 *p = k->at;
  k->at += n;
  return p;
}
#define PUT(c, T) ((T *)bf_put(c, sizeof(T)))
static inline u64 bf_size(int c) { return (u64)bf_cols[c].at - (u64)bf_cols[c].zero; }
static inline u64 bf_loads(void) { return bf_size(C_LOAD); } /* how many so far */
#endif

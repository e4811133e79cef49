/* Shadow memory and objects of the recording runtime. */
#ifndef BUTFOR_SHADOW_H
#define BUTFOR_SHADOW_H
#include "rt.h"

/* Flat shadow at fixed addresses, never reserved: the low 42 bits of an address index it. The program, the heap, mapped files and the stack
   of a Linux process do not meet in these bits. */
#define SH_MASK ((1ull << 42) - 1)
#define SH_IDS 0x100000000000ull
#define SH_VALS 0x200000000000ull
#define SH_PROV 0x240000000000ull
#define SH_HEAP 0x260000000000ull

static inline u32 *ids(const u8 *p) { return (u32 *)(SH_IDS + (((u64)p & SH_MASK) << 2)); }
static inline u8 *vals(const u8 *p) { return (u8 *)(SH_VALS + ((u64)p & SH_MASK)); }
static inline u32 *prov(const u8 *p) { return (u32 *)(SH_PROV + (((u64)p & SH_MASK) >> 3 << 2)); }
static inline u32 *heap_map(const u8 *p) { return (u32 *)(SH_HEAP + (((u64)p & SH_MASK) >> 4 << 2)); }

struct object { u8 *start; u64 room, size; u8 kind, dead; }; /* room: what may be accessed, 0 once it is dead */
enum { LIVE, DEAD, OUT_OF_SCOPE }; /* of an object: OUT_OF_SCOPE is a local variable whose block was left */
static inline void bf_bury(struct object *o) { o->dead = DEAD, o->room = 0; }
extern BF_OWN struct object *bf_objects;
extern BF_OWN u32 bf_nobjects;
static inline void bf_set_scope(u32 number, int is_inside) {
  struct object *o = &bf_objects[number];
  if (number) o->dead = is_inside ? LIVE : OUT_OF_SCOPE, o->room = is_inside ? o->size : 0;
}
struct live_frame { u8 *base, *low; u64 size; u32 id, osp, caller, object; };
extern BF_OWN struct live_frame *bf_frame;
extern BF_OWN u32 *bf_ostack, bf_osp;
extern BF_OWN u32 bf_copy_site; /* 1 + the instruction that copies or fills memory without a call, while it is checked */
extern BF_OWN u32 bf_nstores, bf_nframes, bf_nreads, bf_nevents;
extern BF_OWN volatile int bf_stop, bf_busy; /* busy: library code runs for the runtime, not for the program */

/* Told by rt_objects.c; site: where it was made, kept for whoever reads the log. */
void bf_note_object(const u8 *p, u64 size, int kind, u32 site);
void bf_note_error(int kind, const void *p, u64 n, u32 object, int is_write);
void bf_note_birth(u8 *p, u64 n, int zeroed); /* of heap memory: nothing in it was written, or it was set to 0 */
void bf_note_death(u32 o);

void bf_objects_start(void);
u32 bf_new_object(u8 *p, u64 size, int kind, u32 site);
int bf_never_written(const u8 *p);
int bf_is_as_started(const u8 *p, u64 n);
void *bf_reserve(u64 n);
u32 bf_segments(void);
u32 bf_now(void);
void bf_log_start(u64 limit);
void bf_frames_start(void);
void bf_disk_full(void);
void bf_write_all(int fd, const u8 *p, u64 n);
int bf_open_in_dir(const char *name);
void bf_remove_in_dir(const char *name);
struct live_frame *bf_first_frame(void);
extern BF_OWN u32 bf_store_floor, bf_read_floor;
void bf_restart_column(int c);
void bf_forget_events(void);
void bf_keep_start(u64 segments, u64 bytes); /* the most of each in one part of the log */
void bf_window_begins(void);
void bf_write_dropped(void);
u32 bf_kept_window(void); /* with which the log begins */
void bf_deliver_signals(void);
void bf_close_fault(int sig, u64 fault); /* closes the recording at a fault that the program handles itself */
struct event_rec *bf_event(int kind, const void *p, u64 n);
#endif

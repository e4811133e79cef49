/* What the log says of objects and of memory errors. */
#include "rt_log.h"
#include "rt_shadow.h"
#include <string.h>
#include <sys/mman.h>

#define MAX_ERRORS 4096

void bf_note_object(const u8 *p, u64 size, int kind, u32 site) {
  struct object_rec *r = PUT(C_OBJECT, struct object_rec);
  *r = (struct object_rec){.start = (u64)p, .size = size, .birth = bf_segments() ? bf_now() : 0, .site = site, .frame = bf_frame->id, .kind = (u8)kind};
}

void bf_note_error(int kind, const void *p, u64 n, u32 object, int is_write) {
  static u32 noted;
  if (noted++ >= MAX_ERRORS) return;
  *PUT(C_ERROR, struct error_rec) = (struct error_rec){.addr = (u64)p, .size = n, .load = bf_loads(), .store = bf_nstores, .seg = bf_now(),
                                                       .object = object, .kind = (u8)kind, .is_write = (u8)is_write, .site = bf_copy_site};
}

void bf_note_death(u32 o) { *PUT(C_DEATH, struct death_rec) = (struct death_rec){o, bf_now()}; }

static void clear(u8 *p, u64 n) {
  u8 *s = (u8 *)ids(p), *e = s + n * 4;
  if (n > 65536) { /* give whole pages back instead of writing zeros */
    u8 *a = (u8 *)(((u64)s + 4095) & ~4095ull), *z = (u8 *)((u64)e & ~4095ull);
    memset(s, 0, (u64)(a - s));
    madvise(a, (u64)(z - a), MADV_DONTNEED);
    memset(z, 0, (u64)(e - z));
  } else {
    memset(s, 0, n * 4);
  }
}

void bf_note_birth(u8 *p, u64 n, int zeroed) {
  clear(p, n);
  if (!n || !zeroed) return;
  bf_event(EV_BIRTH, p, n);
  u32 *s = ids(p), w = BF_EVENT | bf_nevents << 3;
  for (u64 i = 0; i < n; i++) s[i] = w;
  memset(vals(p), 0, n);
}

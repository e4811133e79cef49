/* Memory of the server. Each mapping makes a fork slower, so there are two for all. They are as large as is ever needed: what the program maps itself
   is always at the same address. */
#include "runs.h"
#include <sys/mman.h>
#include <unistd.h>

#define RESERVED (2ull << 30)
const u64 bf_reserved = 2 * RESERVED >> 20;

static u8 *own, *own_end, *shared, *shared_end;

static u8 *reserve(int kind) {
  u8 *p = mmap(0, RESERVED, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) _exit(125);
  madvise(p, RESERVED, MADV_NOHUGEPAGE); /* a huge page would be copied whole */
  return p;
}

void bf_memory_start(void) {
  own = reserve(MAP_PRIVATE), own_end = own + RESERVED;
  shared = reserve(MAP_SHARED), shared_end = shared + RESERVED;
}

static void *piece(u8 **from, u8 *end, u64 n) {
  u8 *p = *from;
  if (n > (u64)(end - p)) _exit(125);
  *from += (n + 4095) & ~4095ull;
  return p;
}
void *bf_own_memory(u64 n) { return piece(&own, own_end, n); }
void *bf_shared_memory(u64 n) { return piece(&shared, shared_end, n); }

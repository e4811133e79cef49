/* Programs that are checked for memory errors while they run with something changed: shadow memory, and what ends a run. */
#ifndef BUTFOR_CHECKS_H
#define BUTFOR_CHECKS_H
#include "rt_shadow.h"

/* Per byte of memory: its bits that were never given a value. Per 8 bytes: the object that a pointer stored there points into (prov), which
   holds as long as the pointer itself (vals) is still there. */
#define SH_UNDEF 0x100000000000ull
static inline u8 *undef(const u8 *p) { return (u8 *)(SH_UNDEF + ((u64)p & SH_MASK)); }

enum { UNDEFINED_BRANCH = 16, UNDEFINED_ADDRESS, UNDEFINED_OUTPUT }; /* after enum bf_error */

extern BF_OWN u64 __ck_argm[16]; /* undefined bits of the arguments of the call under way */
extern BF_OWN u32 __ck_at;       /* the check that the call under way belongs to */
void bf_memory_error(u32 kind, u32 check);
int bf_is_undefined(const u8 *p, u64 n);
void bf_define(const u8 *p, u64 n);
u32 bf_pointed(const u8 *p); /* the object that the pointer at p points into */
#endif

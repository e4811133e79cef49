/* Programs that hold several variants of a function (frontends/c/variants.py): one of them takes the place of the function before main is called. */
#include "change.h"
#include "variants.h"

/* Variants have no sites; these stand in where a program without hooks has no tables of its own. */
__attribute__((weak)) const u64 __cf_counts[3];
__attribute__((weak)) u8 bf_active[1];
__attribute__((weak)) void *const __cf_gtab[1], *const __cf_ftab[1];

void __sanitizer_cov_trace_pc(void) { tick(); } /* the compiler calls it in every block: so endless loops end */

void bf_take_variant(u64 number) { take_variant(number); }

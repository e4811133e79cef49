/* A function gives way to one of its variants: its code begins with a jump from then on. */
#ifndef BUTFOR_VARIANTS_H
#define BUTFOR_VARIANTS_H
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct variant { unsigned long number; void *from, *to, *unused; }; /* a multiple of 16 bytes: tables of several objects leave no gaps */
extern struct variant __start_bf_variants[] __attribute__((weak)), __stop_bf_variants[] __attribute__((weak));

#define JUMP 5 /* bytes: the opcode and the distance */

static void take_variant(unsigned long number) {
  for (struct variant *v = __start_bf_variants; v < __stop_bf_variants; v++) {
    if (v->number != number) continue;
    unsigned char *from = v->from, code[JUMP] = {0xe9};
    int32_t distance = (int32_t)((unsigned char *)v->to - (from + JUMP));
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)from & ~(page - 1);
    memcpy(code + 1, &distance, 4);
    if (mprotect((void *)start, (uintptr_t)from + JUMP - start, PROT_READ | PROT_WRITE | PROT_EXEC)) _exit(125);
    memcpy(from, code, JUMP);
  }
}
#endif

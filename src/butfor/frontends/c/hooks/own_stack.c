/* A stack of our own: what the server does between the program's calls leaves nothing on the program's stack, where variables without a value would
   find it. A process that is forked there goes on with the program's own stack when the function returns. */
#include "runs.h"

#define STACK_BYTES (1ull << 20)

u8 *bf_own_stack_end __attribute__((visibility("hidden")));

void bf_own_stack_start(void) { bf_own_stack_end = (u8 *)bf_own_memory(STACK_BYTES) + STACK_BYTES; }

/* u64 bf_on_own_stack(u64 (*function)(u64), u64 argument) */
__asm__(
    ".text\n.globl bf_on_own_stack\n.type bf_on_own_stack, @function\nbf_on_own_stack:\n"
    "  pushq %rbp\n  movq %rsp, %rbp\n  movq bf_own_stack_end(%rip), %rsp\n"
    "  movq %rdi, %rax\n  movq %rsi, %rdi\n  callq *%rax\n"
    "  movq %rbp, %rsp\n  popq %rbp\n  ret\n");

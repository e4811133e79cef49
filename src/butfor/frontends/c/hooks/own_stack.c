/* A stack of our own: what the server and the hooks do between the program's calls leaves next to nothing on the program's stack, where variables
   without a value would find it. A process that is forked there goes on with the program's own stack when the function returns. */
#include "runs.h"

#define STACK_BYTES 1048576
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

static u8 *end;
HIDDEN u8 *bf_own_stack_end; /* 0: hooks stay on the program's stacks, of which there may be several */

void bf_own_stack_start(void) { end = bf_own_stack_end = (u8 *)bf_own_memory(STACK_BYTES) + STACK_BYTES; }
void bf_own_stack_for_hooks(int is_wanted) { bf_own_stack_end = is_wanted ? end : 0; }

/* A hook that a handler of a signal comes to in the middle of another one stays where it is. */
#define SWITCH \
  "  pushq %rbp\n  movq %rsp, %rbp\n  movq bf_own_stack_end(%rip), %r10\n  testq %r10, %r10\n  jz 1f\n" \
  "  movq %r10, %r11\n  subq %rsp, %r11\n  cmpq $" NUMBER(STACK_BYTES) ", %r11\n  jb 1f\n  movq %r10, %rsp\n1:\n"
#define BACK "  movq %rbp, %rsp\n  popq %rbp\n  ret\n"
#define FUNCTION(name) ".text\n.globl " name "\n.type " name ", @function\n" name ":\n"
#define HOOK(kind) __asm__(FUNCTION("__cf_at_" #kind) SWITCH "  callq bf_at_" #kind "\n" BACK);

/* u64 bf_on_own_stack(u64 (*function)(u64), u64 argument) */
__asm__(FUNCTION("bf_on_own_stack") SWITCH "  movq %rdi, %rax\n  movq %rsi, %rdi\n  callq *%rax\n" BACK);

/* Their parameters are all in registers. */
HOOK(i) HOOK(si) HOOK(d) HOOK(sd) HOOK(c) HOOK(cd) HOOK(b) HOOK(o) HOOK(od) HOOK(f)

/* The fence around runs that are only tried. Each process that is to have it includes or links fence.c and call_filter.c. */
#ifndef BUTFOR_FENCE_H
#define BUTFOR_FENCE_H
#include "hooks.h"

/* TRIED: a run whose library functions write to a file tree of its own, below the folder. RECORDED: a run with the functions of the C library itself:
   it makes and changes no files at all, and each attempt is noted. */
enum fence { TRIED, RECORDED };

struct fence_state {
  enum fence kind;
  int has_files;   /* Landlock keeps it from changing files outside of the folder */
  int has_signals; /* Landlock keeps it from sending signals to processes that are not behind the fence */
  u64 password;    /* as an argument that the kernel ignores: the call is our own */
};
extern HIDDEN struct fence_state bf_fence_state;

void bf_filter_calls(void); /* call_filter.c: from now on the kernel makes the calls on its list only, and traps the others */
long bf_system_call(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f); /* the result or -errno; errno stays as it is */
void bf_note_refused(void); /* what each kind of process does when something was refused */
#endif

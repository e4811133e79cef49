/* Models of functions that change where the program goes: exits, failed assertions, signals, nondeterminism. */
#include "rt_shadow.h"
#include "rt_end.h"
#include "nondet_list.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

extern char __executable_start, etext;

void __bf_w__exit(int status) { bf_close(END_EXIT, status & 0xff, ""); _exit(status); }
void __bf_w__Exit(int status) { __bf_w__exit(status); }
void __bf_w_abort(void) {
  fflush(stdout);
  bf_close(END_SIGNAL, SIGABRT, "abort() was called");
  signal(SIGABRT, SIG_DFL);
  abort();
}

static void assertion(const char *expression) {
  fflush(stdout);
  bf_close(END_ASSERT, SIGABRT, expression);
  signal(SIGABRT, SIG_DFL);
}
void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
void __bf_w___assert_fail(const char *e, const char *file, unsigned line, const char *function) {
  assertion(e);
  __assert_fail(e, file, line, function);
}
void __bf_w___assert(const char *e, const char *file, int line) {
  assertion(e);
  __assert_fail(e, file, (unsigned)line, "");
}

void __bf_reach_error(void) { fflush(stdout); bf_end_run(END_REACH_ERROR, 0, ""); }
void __bf_w_reach_error(void) { __bf_reach_error(); }
void __bf_w___VERIFIER_error(void) { __bf_reach_error(); }
void __bf_w___VERIFIER_assume(int c) {
  if (!c) bf_end_run(END_ASSUME, 0, "");
}

void __bf_unsupported(u32 what, u32 site) {
  char text[64];
  snprintf(text, sizeof text, "%u %u", what, site);
  bf_end_run(END_UNSUPPORTED, 0, text);
}
int __bf_w_pthread_create(void) { __bf_unsupported(2, 0); return 0; }
int __bf_w_thrd_create(void) { __bf_unsupported(2, 0); return 0; }
int __bf_w_clone(void) { __bf_unsupported(2, 0); return 0; }

/* ---- nondeterministic values: given ones in order, then 0 ----------------------------------------------------------- */

static u64 *given;
static unsigned count, next;
static u64 nondet(void) {
  bf_input_result(1, -2, next);
  return next < count ? given[next++] : (next++, 0);
}
#define NONDET(name, type) type __bf_w___VERIFIER_nondet_##name(void) { return (type)nondet(); }
#include "nondet_types.h"
_Bool __bf_w___VERIFIER_nondet_bool(void) { return (nondet() & 1) != 0; }
_Bool __bf_w___VERIFIER_nondet__Bool(void) { return (nondet() & 1) != 0; }
float __bf_w___VERIFIER_nondet_float(void) { return (float)(long long)nondet(); }
double __bf_w___VERIFIER_nondet_double(void) { return (double)(long long)nondet(); }
void *__bf_w___VERIFIER_nondet_pointer(void) { return (void *)nondet(); }
void __bf_w___VERIFIER_nondet_memory(void *p, size_t n) {
  for (size_t i = 0; i < n; i++) ((u8 *)p)[i] = (u8)nondet();
  bf_wrote(p, n);
}

/* ---- signal handlers of the program: run between segments, never inside one ------------------------------------------ */

typedef void (*handler_t)(int);
typedef void (*action_t)(int, siginfo_t *, void *);
static struct { handler_t plain; action_t full; volatile int pending; siginfo_t info; } handlers[65];
static volatile int any_pending;

static void run_handler(int sig, siginfo_t *info, void *context) {
  __bf_args_set = 0;
  if (handlers[sig].full) handlers[sig].full(sig, info, context);
  else if (handlers[sig].plain) handlers[sig].plain(sig);
}
static void trampoline(int sig, siginfo_t *info, void *context) {
  u64 pc = (u64)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  int own_code = pc >= (u64)&__executable_start && pc < (u64)&etext;
  int synchronous = info->si_code > 0 && (sig == SIGSEGV || sig == SIGFPE || sig == SIGILL || sig == SIGBUS);
  if ((!own_code && !bf_busy) || synchronous) { /* inside a library call of the program, or it cannot wait */
    if (own_code) bf_close_fault(sig, (u64)info->si_addr); /* in the middle of a segment: what comes after has no place in the log */
    run_handler(sig, info, context);
    return;
  }
  handlers[sig].info = *info;
  handlers[sig].pending = any_pending = 1;
}
void bf_deliver_signals(void) {
  if (!any_pending) return;
  any_pending = 0;
  for (int sig = 1; sig < 65; sig++)
    if (handlers[sig].pending) {
      handlers[sig].pending = 0;
      run_handler(sig, &handlers[sig].info, 0);
    }
}
static int is_function(handler_t h) { return h != SIG_DFL && h != SIG_IGN && h != SIG_ERR; }

handler_t __bf_w_signal(int sig, handler_t h) {
  if (sig < 1 || sig > 64 || !is_function(h)) return signal(sig, h);
  struct sigaction s, old;
  memset(&s, 0, sizeof s);
  s.sa_sigaction = trampoline;
  s.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  handler_t before = handlers[sig].plain;
  if (sigaction(sig, &s, &old)) return SIG_ERR;
  handlers[sig].plain = h;
  handlers[sig].full = 0;
  return before ? before : SIG_DFL;
}
int __bf_w_sigaction(int sig, const struct sigaction *act, struct sigaction *old) {
  if (sig < 1 || sig > 64 || !act || (!(act->sa_flags & SA_SIGINFO) && !is_function(act->sa_handler))) return sigaction(sig, act, old);
  struct sigaction s = *act;
  handlers[sig].full = act->sa_flags & SA_SIGINFO ? act->sa_sigaction : 0;
  handlers[sig].plain = act->sa_flags & SA_SIGINFO ? 0 : act->sa_handler;
  s.sa_sigaction = trampoline;
  s.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  int r = sigaction(sig, &s, old);
  if (old) bf_wrote(old, sizeof *old);
  return r;
}

void bf_control_start(void) {
  const char *list = getenv("BUTFOR_NONDET");
  count = nondet_count(list);
  given = bf_reserve(8 * (u64)(count + 1));
  nondet_read(list, count, given);
  unsetenv("BUTFOR_NONDET");
}

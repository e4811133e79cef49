/* The system calls that runs behind the fence can make: a list of those that reach nothing beyond the run. All others are trapped (SIGSYS, see
   fence.c), but for those that a program, or the C library for it, makes as a matter of course: they are answered in its stead. */
#include "fence.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_TRAP | EPERM)
#define ANSWER(error) (SECCOMP_RET_ERRNO | (error))
#define DONE ANSWER(0) /* it is as if it had been done */

/* By number what older headers have no name for. */
enum { OPENAT2 = 437, CLONE3 = 435, CLOSE_RANGE = 436, FACCESSAT2 = 439, EPOLL_PWAIT2 = 441, RSEQ = 334, FUTEX_WAITV = 449, STATX = 332, CACHESTAT = 451 };

/* They look, compute, wait, or act on what the run has open; files are open for writing only where the run may write. */
static const u16 harmless[] = {
  SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, CLOSE_RANGE,
  SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_fadvise64, SYS_readahead,
  SYS_sendfile, SYS_copy_file_range, SYS_splice, SYS_tee, SYS_vmsplice, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create, SYS_epoll_create1,
  SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait, EPOLL_PWAIT2, SYS_eventfd, SYS_eventfd2, SYS_signalfd, SYS_signalfd4, SYS_timerfd_create, SYS_timerfd_settime,
  SYS_timerfd_gettime,
  SYS_stat, SYS_fstat, SYS_lstat, SYS_newfstatat, STATX, SYS_statfs, SYS_fstatfs, CACHESTAT, SYS_access, SYS_faccessat, FACCESSAT2, SYS_readlink, SYS_readlinkat,
  SYS_getdents, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr,
  SYS_umask,
  SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mincore, SYS_msync, SYS_brk, SYS_mlock, SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_membarrier,
  SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect,
  SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_pause, SYS_restart_syscall,
  SYS_alarm, SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete,
  SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_time, SYS_times,
  SYS_futex, FUTEX_WAITV, SYS_set_robust_list, SYS_get_robust_list, RSEQ, SYS_set_tid_address, SYS_arch_prctl, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid,
  SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_getpgid, SYS_getpgrp,
  SYS_getsid, SYS_setsid, SYS_setpgid, SYS_capget, SYS_getpriority, SYS_getrlimit, SYS_setrlimit, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_getcpu, SYS_getrandom,
  SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_getattr, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
  SYS_sched_rr_get_interval, SYS_get_mempolicy, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_recvfrom, SYS_recvmsg, SYS_shutdown,
};
/* For runs whose library functions write to a file tree of their own; Landlock says which files they may act on. */
static const u16 on_files[] = {
  SYS_open, SYS_openat, SYS_creat, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_link, SYS_linkat,
  SYS_symlink, SYS_symlinkat, SYS_truncate,
};
/* Not done; others could notice a lock, or what is written to the disk sooner. */
static const u16 left_out[] = {SYS_flock, SYS_sync, SYS_syncfs};
/* As of a kernel that does not have them: the C library takes another call then, and programs are prepared for it. */
static const u16 missing[] = {CLONE3, OPENAT2, SYS_memfd_create, SYS_inotify_init, SYS_inotify_init1, SYS_mbind, SYS_set_mempolicy};
/* They come with all signals blocked, so that a trap would end the process. */
static const u16 new_processes[] = {SYS_fork, SYS_vfork, SYS_execve, SYS_execveat};

/* ---- the filter as a program of the kernel's packet filter ------------------------------------------------------------------------- */

static struct sock_filter program[600];
static unsigned length;

static void add(u32 code, u32 k, unsigned jump_true, unsigned jump_false) { program[length++] = (struct sock_filter){(u16)code, (u8)jump_true, (u8)jump_false, k}; }
static void answer(u32 what) { add(BPF_RET | BPF_K, what, 0, 0); }
static void load(size_t at) { add(BPF_LD | BPF_W | BPF_ABS, (u32)at, 0, 0); }
static void load_argument(unsigned k, int is_high) { load(offsetof(struct seccomp_data, args) + 8 * k + 4 * (unsigned)is_high); }
static void if_equal(u32 value, u32 what) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), answer(what); }
static void if_any_of(u32 bits, u32 what) { add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), answer(what); }
static void if_argument_is(unsigned k, u64 value, u32 what) {
  load_argument(k, 0), add(BPF_JMP | BPF_JEQ | BPF_K, (u32)value, 0, 3);
  load_argument(k, 1), if_equal((u32)(value >> 32), what);
}
/* What follows, up to `end`, is about this call. */
static unsigned begin(u32 call) { return add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0), length; }
static void end(unsigned first, u32 otherwise) {
  answer(otherwise);
  program[first - 1].jf = (u8)(length - first);
}
#define LIST(calls, what) for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) if_equal(calls[i], what)

/* The low half of an argument: what the kernel looks at where it is an int. */
static void only_if(u32 call, unsigned k, u32 value, u32 otherwise) {
  unsigned first = begin(call);
  load_argument(k, 0), if_equal(value, ALLOW);
  end(first, otherwise);
}
static void only_with_password(u32 call, unsigned k, u32 otherwise) {
  unsigned first = begin(call);
  if_argument_is(k, bf_fence_state.password, ALLOW);
  end(first, otherwise);
}

static void filter_processes(u32 no_process) {
  unsigned first = begin(SYS_clone);
  if_argument_is(2, bf_fence_state.password, ALLOW);
  load_argument(0, 0), if_any_of(0x10000 /* a thread */, ALLOW);
  end(first, no_process);
  only_with_password(SYS_kill, 2, REFUSE);
  if (!bf_fence_state.has_signals) only_with_password(SYS_tgkill, 3, REFUSE);
  else if_equal(SYS_tgkill, ALLOW);
  first = begin(SYS_rt_sigaction);
  load_argument(0, 0), if_equal(SIGSYS, DONE);
  end(first, ALLOW);
  only_if(SYS_prlimit64, 0, 0, REFUSE);
  only_if(SYS_sched_setaffinity, 0, 0, REFUSE);
  only_if(SYS_sched_setscheduler, 0, 0, REFUSE);
  only_if(SYS_sched_setparam, 0, 0, REFUSE);
  only_if(SYS_personality, 0, ~0u /* a question */, REFUSE);
  first = begin(SYS_setpriority);
  load_argument(0, 0), add(BPF_JMP | BPF_JEQ | BPF_K, 0 /* a process */, 0, 3), load_argument(1, 0), if_equal(0, ALLOW);
  end(first, REFUSE);
}

static void filter_prctl(void) {
  static const u32 fine[] = {2, 3, 7, 15, 16, 21, 23, 27, 29, 30, 37, 38, 39, 0x53564d41 /* PR_SET_VMA */};
  unsigned first = begin(SYS_prctl);
  load_argument(0, 0);
  LIST(fine, ALLOW);
  if_equal(4 /* PR_SET_DUMPABLE */, DONE), if_equal(36 /* PR_SET_CHILD_SUBREAPER */, DONE);
  add(BPF_JMP | BPF_JEQ | BPF_K, 1 /* PR_SET_PDEATHSIG */, 0, 4), load_argument(1, 0), if_equal(SIGKILL, ALLOW), answer(DONE);
  end(first, ANSWER(EINVAL));
}

static void filter_descriptors(void) {
  static const u32 fine[] = {0 /* F_DUPFD */, 1, 2, 3, 5 /* F_GETLK */, 9 /* F_GETOWN */, 11, 16, 36, 1030 /* F_DUPFD_CLOEXEC */, 1031, 1032, 1034};
  static const u32 locks[] = {6, 7, 37, 38};
  static const u32 questions[] = {0x5401 /* TCGETS */, 0x5413 /* TIOCGWINSZ */, 0x541b /* FIONREAD */, 0x5421 /* FIONBIO */, 0x5450, 0x5451, 0x540f, 0x5429, 0x802c542a};
  unsigned first = begin(SYS_fcntl);
  load_argument(1, 0);
  LIST(fine, ALLOW);
  LIST(locks, DONE);
  add(BPF_JMP | BPF_JEQ | BPF_K, 4 /* F_SETFL */, 0, 4), load_argument(2, 0), if_any_of(0x2000 /* O_ASYNC */, REFUSE), answer(ALLOW);
  end(first, REFUSE);
  first = begin(SYS_ioctl);
  load_argument(1, 0);
  LIST(questions, ALLOW);
  if_equal(0x5452 /* FIOASYNC */, REFUSE);
  add(BPF_ALU | BPF_AND | BPF_K, ~0xffu, 0, 0), if_equal(0x5400 /* those of terminals, which a run has none of */, ANSWER(ENOTTY));
  end(first, SECCOMP_RET_TRAP | ENOTTY);
  only_with_password(SYS_fchmod, 2, REFUSE);
  only_with_password(SYS_utimensat, 4, REFUSE);
  only_if(SYS_socketpair, 0, 1 /* AF_UNIX */, REFUSE);
  first = begin(SYS_sendto);
  if_argument_is(4, 0 /* no address */, ALLOW);
  end(first, REFUSE);
}

static void filter_opening(u32 call, unsigned flags) {
  unsigned first = begin(call);
  load_argument(flags, 0);
  add(BPF_JMP | BPF_JSET | BPF_K, 0x400243 /* O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE */, 1, 0), answer(ALLOW);
  if_argument_is(flags + 2, bf_fence_state.password, ALLOW);
  end(first, SECCOMP_RET_TRAP | EACCES);
}

void bf_filter_calls(void) {
  u32 no_process = bf_fence_state.kind == TRIED ? ANSWER(EPERM) : REFUSE;
  load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e /* x86-64 */, 1, 0), answer(REFUSE);
  load(offsetof(struct seccomp_data, nr));
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000 /* those of x32 */, 0, 1), answer(REFUSE);
  filter_processes(no_process);
  filter_prctl();
  filter_descriptors();
  if (bf_fence_state.kind == TRIED) LIST(on_files, ALLOW);
  else filter_opening(SYS_open, 1), filter_opening(SYS_openat, 2), only_with_password(SYS_unlink, 1, REFUSE);
  LIST(harmless, ALLOW);
  LIST(left_out, DONE);
  LIST(missing, ANSWER(ENOSYS));
  LIST(new_processes, no_process);
  answer(REFUSE);
  struct sock_fprog all = {(u16)length, program};
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all);
}

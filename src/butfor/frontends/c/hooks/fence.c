/* A second fence around runs, for what they do not do through the functions in libc/replacements: the kernel itself forbids it.
   Landlock: nothing outside the server's folder is written. Seccomp: no processes, no signals to others, no network, nothing about the machine.
   Both are set up once in the server and hold for all runs at no cost; a kernel that has them not is no error. */
#include "hooks.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files ---------------------------------------------------------------------------------------------------------------- */

/* From linux/landlock.h, which may be older than the kernel. */
struct ruleset { u64 files, network, scopes; };
struct beneath { u64 allowed; int fd; } __attribute__((packed));
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
#define WRITE_FILE 0x2ull
#define TRUNCATE 0x4000ull
#define CHANGES 0x1ff2ull /* write, remove, make; not: execute, read, list */
#define REFER 0x2000ull

static void allow(int rules, const char *path, u64 what) {
  struct beneath rule = {what, open(path, O_PATH | O_CLOEXEC)};
  if (rule.fd < 0) return;
  syscall(ADD_RULE, rules, 1, &rule, 0);
  close(rule.fd);
}

static void fence_files(const char *folder) {
  long version = syscall(CREATE_RULESET, 0, 0, 1);
  if (version < 1) return;
  u64 all = CHANGES | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
  struct ruleset set = {all, version >= 4 ? 3 : 0, 0};
  int rules = (int)syscall(CREATE_RULESET, &set, version >= 4 ? 16 : 8, 0);
  if (rules < 0) return;
  allow(rules, folder, all);
  static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};
  for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) allow(rules, devices[i], WRITE_FILE | (all & TRUNCATE));
  syscall(RESTRICT_SELF, rules, 0);
  close(rules);
}

/* ---- system calls ------------------------------------------------------------------------------------------------------------ */

#define PASSWORD 0x62757466u /* as an argument that the kernel ignores: the call is the server's */
#define THREAD 0x10000
#define ARGUMENT(k) (offsetof(struct seccomp_data, args) + 8 * (k))
#define IS(nr, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, skip)
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define FORBIDDEN ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN ANSWER(SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOWED ANSWER(SECCOMP_RET_ALLOW)
#define NOT(name) IS(SYS_##name, 1), FORBIDDEN

static struct sock_filter filter[] = {
    LOAD(offsetof(struct seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e /* x86-64 */, 1, 0), FORBIDDEN,
    LOAD(offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000 /* those of x32 */, 0, 1), FORBIDDEN,
    IS(SYS_clone, 7), LOAD(ARGUMENT(2)), IS(PASSWORD, 1), ALLOWED, LOAD(ARGUMENT(0)), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, THREAD, 0, 1), ALLOWED, FORBIDDEN,
    IS(SYS_kill, 4), LOAD(ARGUMENT(2)), IS(PASSWORD, 1), ALLOWED, FORBIDDEN,
    IS(435 /* clone3; the C library then takes clone */, 1), UNKNOWN, IS(425 /* io_uring_setup */, 1), UNKNOWN,
    NOT(fork), NOT(vfork), NOT(execve), NOT(execveat), NOT(tkill), NOT(rt_sigqueueinfo), NOT(rt_tgsigqueueinfo), IS(424 /* pidfd_send_signal */, 1), FORBIDDEN,
    NOT(ptrace), NOT(process_vm_writev), NOT(socket), NOT(shmget), NOT(semget), NOT(msgget), NOT(mq_open), NOT(mq_unlink),
    NOT(chmod), NOT(fchmodat), NOT(chown), NOT(lchown), NOT(fchownat), NOT(setxattr), NOT(lsetxattr), NOT(removexattr), NOT(lremovexattr),
    NOT(mount), NOT(umount2), NOT(pivot_root), NOT(chroot), NOT(unshare), NOT(setns), NOT(open_by_handle_at), NOT(swapon), NOT(swapoff), NOT(acct),
    NOT(reboot), NOT(sethostname), NOT(setdomainname), NOT(settimeofday), NOT(clock_settime), NOT(adjtimex), NOT(clock_adjtime), NOT(syslog),
    NOT(init_module), NOT(finit_module), NOT(delete_module), NOT(kexec_load), NOT(bpf), NOT(perf_event_open), NOT(keyctl), NOT(add_key),
    ALLOWED,
};

void bf_fence(const char *folder) {
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
  fence_files(folder);
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int bf_fork(void) { return (int)syscall(SYS_clone, SIGCHLD, 0, PASSWORD, 0, 0); }
int bf_kill(int process, int signal) { return (int)syscall(SYS_kill, process, signal, PASSWORD); }

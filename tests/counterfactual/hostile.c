/* Does one thing, named by the first argument, that would harm others: the file of the second one, or the process of the third one. Most call the
   kernel as code in a library would. Says "done" and ends with 3, whether or not it could. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

typedef long (*system_call)(long, ...);
#define RAW(...) (((system_call)dlsym(RTLD_DEFAULT, "syscall"))(__VA_ARGS__))
#define CASE(name) if (!strcmp(what, name))

static void could(void) { puts("could"); }
static const struct timespec early[2] = {{1}, {1}};

/* Through a descriptor that is open for reading. */
static void to_open_file(const char *what, int fd) {
  CASE("fchmod") fchmod(fd, 0777);
  CASE("fchown") fchown(fd, 1234, 1234);
  CASE("futimens") futimens(fd, early);
  CASE("fsetxattr") fsetxattr(fd, "user.evil", "x", 1, 0);
  CASE("raw fchmod") RAW(SYS_fchmod, fd, 0777);
  CASE("raw fchown") RAW(SYS_fchown, fd, 1234, 1234);
  CASE("raw futimens") RAW(SYS_utimensat, fd, 0, early, 0);
  CASE("raw fsetxattr") RAW(SYS_fsetxattr, fd, "user.evil", "x", 1L, 0);
  CASE("flags") RAW(SYS_ioctl, fd, 0x40086602UL, &(int){0x80});
  CASE("reopen") {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int writing = (int)RAW(SYS_open, name, O_WRONLY | O_TRUNC);
    if (writing >= 0) could(), write(writing, "evil", 4);
  }
}

static void to_file(const char *what, const char *file) {
  CASE("unlink") unlink(file);
  CASE("raw unlink") RAW(SYS_unlink, file);
  CASE("raw truncate") RAW(SYS_open, file, O_RDONLY | O_TRUNC);
  CASE("raw rename") RAW(SYS_renameat2, AT_FDCWD, file, AT_FDCWD, "moved", 0);
  CASE("raw fchmodat2") RAW(452, AT_FDCWD, file, 0777, 0);
  CASE("raw utimensat") RAW(SYS_utimensat, AT_FDCWD, file, early, 0);
  CASE("raw setxattr") RAW(SYS_setxattr, file, "user.evil", "x", 1L, 0);
  CASE("raw mknod") RAW(SYS_mknod, "evil", S_IFCHR | 0600, 0x103);
  CASE("raw exec") RAW(SYS_execve, "/bin/rm", (char *[]){"rm", (char *)file, 0}, (char *[]){0});
  CASE("x32 unlink") RAW(0x40000000 + 87, file);
  CASE("late unlink") poll(0, 0, 1100), unlink(file);
}

static int failed(long result) {
  if (result >= 0) could();
  return result < 0;
}

/* As a program of 32 bits calls the kernel, which numbers its calls otherwise. */
static long call_of_32_bits(long number, const char *text, long a) {
  char *low = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  long result;
  strncpy(low, text, 4095);
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(low), "c"(a), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
  return result;
}

static void around_file(const char *what, const char *file) {
  char folder[4096], evil[4200];
  strcpy(folder, file), *strrchr(folder, '/') = 0;
  snprintf(evil, sizeof evil, "%s/evil", folder);
  CASE("32 open") failed(call_of_32_bits(5, file, O_RDWR));
  CASE("32 unlink") failed(call_of_32_bits(10, file, 0));
  CASE("raw link") failed(RAW(SYS_linkat, AT_FDCWD, file, AT_FDCWD, evil, 0));
  CASE("raw symlink") failed(RAW(SYS_symlink, file, evil));
  CASE("raw mkdir") failed(RAW(SYS_mkdir, evil, 0777));
  CASE("raw tmpfile") failed(RAW(SYS_open, folder, O_TMPFILE | O_RDWR, 0600));
  CASE("raw openat2") failed(RAW(437, AT_FDCWD, evil, (unsigned long[3]){O_WRONLY | O_CREAT, 0600, 0}, 24L));
  CASE("shared map") {
    void *p = mmap(0, 4096, PROT_READ, MAP_SHARED, open(file, O_RDONLY), 0);
    if (p != MAP_FAILED && !mprotect(p, 4096, PROT_READ | PROT_WRITE)) could(), strcpy(p, "evil");
  }
}

static void to_others(const char *what, int process) {
  CASE("raw kill all") RAW(SYS_kill, -1, SIGUSR1);
  CASE("raw stop parent") RAW(SYS_kill, getppid(), SIGSTOP);
  CASE("raw getfd") failed(RAW(438, RAW(434, getppid(), 0), 1, 0));
  CASE("raw ioprio") failed(RAW(SYS_ioprio_set, 1, process, 0x6000));
  CASE("raw attributes") failed(RAW(314, process, &(unsigned[12]){48, 5}, 0));
  CASE("raw migrate") failed(RAW(SYS_migrate_pages, process, 64L, &(long){1}, &(long){1}));
  CASE("raw clone3") if (!RAW(435, &(unsigned long[11]){0, 0, 0, 0, SIGCHLD}, 88L)) for (setsid();; pause()) ;
  CASE("raw setns") failed(RAW(SYS_setns, open("/proc/self/ns/uts", O_RDONLY), 0));
  CASE("raw time") failed(RAW(SYS_clock_settime, 0, &early[0]));
  CASE("raw name") failed(RAW(SYS_sethostname, "evil", 4L));
  CASE("raw mount tree") failed(RAW(428, AT_FDCWD, "/", 1));
  CASE("raw device") failed(RAW(SYS_open, "/dev/kmsg", O_WRONLY));
  CASE("raw setting") failed(RAW(SYS_open, "/proc/sys/kernel/hostname", O_WRONLY));
}

static void to_process(const char *what, int process) {
  int ends[2];
  pipe(ends);
  CASE("raw kill") RAW(SYS_kill, process, SIGUSR1);
  CASE("raw tgkill") RAW(SYS_tgkill, process, process, SIGUSR1);
  CASE("raw tkill") RAW(SYS_tkill, process, SIGUSR1);
  CASE("raw sigqueue") RAW(SYS_rt_sigqueueinfo, process, SIGUSR1, &(siginfo_t){.si_signo = SIGUSR1, .si_code = -1});
  CASE("raw pidfd") RAW(424, RAW(434, process, 0), SIGUSR1, 0, 0);
  CASE("owner") fcntl(ends[0], F_SETOWN, process), fcntl(ends[0], F_SETSIG, SIGUSR1), fcntl(ends[0], F_SETFL, O_ASYNC), write(ends[1], "x", 1);
  CASE("fioasync") RAW(SYS_ioctl, ends[0], 0x8901UL, &process), RAW(SYS_ioctl, ends[0], 0x5452UL, &(int){1}), write(ends[1], "x", 1);
  CASE("priority") setpriority(PRIO_PROCESS, (id_t)process, 19);
  CASE("limits") prlimit(process, RLIMIT_NOFILE, &(struct rlimit){7, 7}, 0);
  CASE("raw affinity") RAW(SYS_sched_setaffinity, process, 8L, &(long){2});
  CASE("raw scheduler") RAW(SYS_sched_setscheduler, process, 5 /* idle */, &(int){0});
  CASE("raw seize") RAW(SYS_ptrace, PTRACE_SEIZE, process, 0, 0), RAW(SYS_ptrace, PTRACE_INTERRUPT, process, 0, 0);
  CASE("memory") {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/oom_score_adj", process);
    int fd = (int)RAW(SYS_open, name, O_WRONLY);
    if (fd >= 0) write(fd, "500", 3);
  }
}

static void to_machine(const char *what) {
  int ends[2];
  CASE("raw fork") if (!RAW(SYS_fork)) for (setsid();; pause()) ;
  CASE("raw clone") if (!RAW(SYS_clone, SIGCHLD, 0, 0x62757466, 0, 0)) for (setsid();; pause()) ;
  CASE("raw socket") if (RAW(SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0) could();
  CASE("raw send") {
    struct sockaddr_un address = {AF_UNIX, "/nowhere"};
    struct iovec bytes = {"x", 1};
    RAW(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, ends);
    if (RAW(SYS_connect, ends[0], &address, sizeof address) >= 0 || RAW(SYS_bind, ends[1], &address, sizeof address) >= 0) could();
    if (RAW(SYS_sendmsg, ends[0], &(struct msghdr){&address, sizeof address, &bytes, 1}, 0) >= 0) could();
  }
  CASE("raw shmget") if (RAW(SYS_shmget, IPC_PRIVATE, 4096L, 0600) >= 0) could();
  CASE("raw ipc") if (RAW(SYS_shmat, 0, 0, 0) > 0 || RAW(SYS_msgget, IPC_PRIVATE, 0600) >= 0) could();
  CASE("raw queue") if (RAW(SYS_mq_open, "evil", O_CREAT | O_RDWR, 0600, 0) >= 0) could();
  CASE("raw key") if (RAW(SYS_add_key, "user", "evil", "x", 1L, -4L) >= 0) could();
  CASE("raw io_uring") if (RAW(425, 8, (char[120]){0}) >= 0) could();
  CASE("raw bpf") if (RAW(SYS_bpf, 0L, (char[128]){1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1}, 72L) >= 0) could();
  CASE("raw userfaultfd") if (RAW(SYS_userfaultfd, 0) >= 0) could();
  CASE("raw perf") if (RAW(SYS_perf_event_open, (char[128]){1, 0, 0, 0, 128}, 0, -1, -1, 0L) >= 0) could();
  CASE("raw personality") if (RAW(SYS_personality, 0x400000UL) >= 0) could();
  CASE("raw unshare") if (RAW(SYS_unshare, 0x10000000UL) >= 0) could();
  CASE("raw mount") if (RAW(SYS_mount, "none", "/mnt", "tmpfs", 0, 0) >= 0) could();
  CASE("raw memfd") if (RAW(319, "flood", 0) >= 0) could();
  CASE("raw vm") if (RAW(SYS_process_vm_readv, getppid(), 0, 0L, 0, 0L, 0L) >= 0) could();
  CASE("answers") {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/901", getppid());
    if (RAW(SYS_open, name, O_WRONLY) >= 0) could();
  }
  CASE("blocked") {
    sigset_t all;
    sigfillset(&all), sigprocmask(SIG_SETMASK, &all, 0);
    if (RAW(SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0) could();
  }
}

int main(int argc, char **argv) {
  to_file(argv[1], argv[2]);
  to_open_file(argv[1], open(argv[2], O_RDONLY));
  around_file(argv[1], argv[2]);
  to_process(argv[1], atoi(argv[3]));
  to_others(argv[1], atoi(argv[3]));
  to_machine(argv[1]);
  puts("done");
  return 3;
}

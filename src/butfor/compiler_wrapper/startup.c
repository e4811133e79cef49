/* What `butfor cc` adds to each program: when a program starts under `butfor run`, it asks there how to go on.

   It runs before everything else in the process, so it uses no library: system calls only. Without BUTFOR_RUN in the environment it
   returns at once. The answer is one message: "n" to go on, or "x" to become another program, then five texts that end with a NUL: the
   program, a variable of the environment, and files for standard input, output and error, empty where these stay as they are. */

typedef unsigned long word;

#ifdef BUTFOR_HOOK

static word call3(word number, word a, word b, word c) {
  word result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

enum { READ = 0, WRITE = 1, OPEN = 2, CLOSE = 3, DUP2 = 33, SOCKET = 41, CONNECT = 42, EXECVE = 59 };
enum { AT_END = 0, AT_SECURE_MODE = 23, MAX_VARIABLES = 8192, MAX_ANSWER = 8192, MAX_PATH = 107 };

/* The id of the link. It is patched into the finished object, so the compiler must not know it. */
static volatile const char link_id[33] = "BUTFOR-LINK-ID-0123456789abcdefg";

static int starts_with(const char *text, const char *head) {
  while (*head)
    if (*text++ != *head++) return 0;
  return 1;
}

static int holds(const char *text, const char *part) {
  for (; *text; text++)
    if (starts_with(text, part)) return 1;
  return 0;
}

static const char *next(const char *text) {
  while (*text) text++;
  return text + 1;
}

static int redirected(const char *path, word flags, word to) {
  word file = call3(OPEN, (word)path, flags, 0600);
  if ((long)file < 0) return 0;
  if (file != to) call3(DUP2, file, to, 0), call3(CLOSE, file, 0, 0);
  return 1;
}

static void become(const char *program, char **argv, char **envp, const char *variable, const char *files) {
  const char *variables[MAX_VARIABLES + 2];
  int n = 0;
  while (n < MAX_VARIABLES && envp[n]) variables[n] = envp[n], n++;
  if (envp[n]) return;
  variables[n++] = variable;
  variables[n] = 0;
  for (word to = 0; to < 3; to++, files = next(files))
    if (*files && !redirected(files, to ? 02101 : 0, to)) return; /* O_WRONLY, O_CREAT, O_APPEND */
  call3(EXECVE, (word)program, (word)argv, (word)variables);
}

static void hand_over(int argc, char **argv, char **envp) {
  const char *where = 0;
  char **at = envp;
  (void)argc;
  for (; *at; at++) {
    if (starts_with(*at, "BUTFOR_RUN=")) where = *at + 11;
    if (starts_with(*at, "LD_PRELOAD=") && holds(*at, "vgpreload")) return; /* valgrind knows this program, not another one */
  }
  if (!where || !*where) return;
  for (const word *aux = (const word *)(at + 1); aux[0] != AT_END; aux += 2)
    if (aux[0] == AT_SECURE_MODE && aux[1]) return;
  struct { unsigned short family; char path[MAX_PATH + 1]; } address;
  int n = 0;
  address.family = 1;
  for (; where[n]; n++) {
    if (n >= MAX_PATH) return;
    address.path[n] = where[n];
  }
  address.path[n] = 0;
  word server = call3(SOCKET, 1, 5 | 02000000, 0); /* AF_UNIX, SOCK_SEQPACKET, closed at exec */
  if ((long)server < 0) return;
  if (!call3(CONNECT, server, (word)&address, sizeof address.family + (word)n + 1)) {
    char id[sizeof link_id], answer[MAX_ANSWER + 6];
    for (n = 0; n < (int)sizeof id; n++) id[n] = link_id[n];
    long size = 0;
    if ((long)call3(WRITE, server, (word)id, sizeof id - 1) > 0) size = (long)call3(READ, server, (word)answer, MAX_ANSWER);
    if (size > 1 && answer[0] == 'x') {
      for (n = 0; n < 6; n++) answer[size + n] = 0;
      const char *program = answer + 1, *variable = next(program);
      become(program, argv, envp, variable, next(variable));
    }
  }
  call3(CLOSE, server, 0, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const start)(int, char **, char **) = hand_over;

#endif

__asm__(".pushsection .butfor.link,\"\",@progbits\n.ascii \"BUTFOR-LINK-ID-0123456789abcdefg\\n\"\n.popsection");

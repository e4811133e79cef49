/* The input of runs: arguments, environment, standard input, nondeterministic values and the folder they run in, as the last message said.
   Without a message, and as far as it says so, they are the server's own: a run with those has them at the same addresses as the program itself. */
#include "runs.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM (1ull << 30) /* bytes */

/* What follows it: the nondeterministic values, the texts (arguments, environment, folder), standard input. */
struct input { u32 arguments, variables, own_arguments, own_variables; u64 values, texts, stdin_bytes; };

extern char **environ;
extern int __cf_main(int argc, char **argv, char **variables);
static int argc, own_argc;
static u32 own_variables;
static char **argv, **own_argv, **own_environ;
static u8 *room;

int main(void) { return __cf_main(argc, argv, environ); }

void bf_input_start(int count, char **arguments) {
  argc = own_argc = count;
  argv = own_argv = arguments;
  own_environ = environ;
  while (environ[own_variables]) own_variables++;
  room = bf_own_memory(ROOM);
}

static char *pointers_to(char *text, char **to, u32 n) {
  for (u32 i = 0; i < n; i++, text += strlen(text) + 1) to[i] = text;
  to[n] = 0;
  return text;
}

static void take_stdin(u64 n) {
  static u8 part[65536];
  if (ftruncate(STDIN_FILE, 0) || lseek(STDIN_FILE, 0, SEEK_SET)) _exit(125);
  for (u64 k; n; n -= k) {
    k = n < sizeof part ? n : sizeof part;
    if (!bf_receive(part, k) || write(STDIN_FILE, part, k) != (ssize_t)k) _exit(125);
  }
}

void bf_take_input(u64 size) {
  struct input in;
  if (size < sizeof in || !bf_receive(&in, sizeof in)) _exit(125);
  u32 nvariables = in.own_variables ? own_variables : in.variables;
  u64 values = in.values * sizeof(u64), texts = (in.texts + 7) & ~7ull, pointers = ((u64)in.arguments + nvariables + 3) * sizeof(char *);
  if (values + texts + pointers > ROOM || !bf_receive(room, values + in.texts)) _exit(125);
  bf_nondet_give((u64 *)room, in.values);
  char *text = (char *)room + values, /* the variables behind the arguments, as a process has them */
       **arguments = (char **)(room + values + texts), **variables = arguments + in.arguments + 2;
  arguments[0] = own_argv[0];
  text = pointers_to(text, arguments + 1, in.arguments);
  if (in.own_variables) memcpy(variables, own_environ, (own_variables + 1) * sizeof *variables);
  else text = pointers_to(text, variables, in.variables);
  argc = in.own_arguments ? own_argc : (int)in.arguments + 1;
  argv = in.own_arguments ? own_argv : arguments;
  environ = in.own_arguments && in.own_variables ? own_environ : variables;
  if (*text ? chdir(text) : fchdir(OWN_FOLDER)) _exit(125);
  take_stdin(in.stdin_bytes);
}

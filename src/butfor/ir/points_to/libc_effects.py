"""What library functions do to memory and pointers, as far as a may-analysis needs it.

Every line of the table is a list of effects, then the functions that have them. Arguments are counted from 0:

  -       nothing that the program could see in its own memory
  wA      writes memory at argument A; wA/N when argument N is the number of bytes
  tA      writes a text or one number at argument A; tA+ at A and all later arguments; t*A at the pointer that is at argument A
  vA      writes texts or numbers where the arguments in the va_list A point to
  cA<B/N  copies memory from argument B to argument A, as many bytes as argument N says
  mA      the result holds what memory at argument A held
  pA=B    stores a pointer into argument B at argument A; pA=new: a pointer to a new block
  rA      returns argument A; iA: a pointer into what argument A points to; r*A: one into what the pointer at argument A points to
  hA      as iA and tA, also for what argument A was in an earlier call
  new     returns a new block
  lib     returns memory of the library, the same in every call
  kA(B,C*) calls argument A with argument B and a pointer to an element of C
  aA      keeps argument A, a function, to be called some time; a*A: the pointer at argument A
  e       calls what was kept
  fA      writes numbers at later arguments when the format at argument A has %n
  esc     may keep, change and call all that it is given: what is assumed of functions that are not listed
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_TABLE = """
new: malloc calloc aligned_alloc memalign valloc pvalloc strdup strndup wcsdup
new: fopen fdopen popen tmpfile opendir fdopendir tempnam newlocale get_current_dir_name
new m0: realloc reallocarray
p0=new: posix_memalign asprintf vasprintf
p0=new t*0 t1: getline getdelim
lib: __errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc getenv secure_getenv localtime gmtime ctime asctime strerror strsignal
lib: setlocale localeconv readdir getpwnam getpwuid getgrgid getgrnam getlogin ttyname dlerror nl_langinfo ctermid tmpnam gai_strerror
lib: hstrerror gethostbyname gettext dgettext bindtextdomain textdomain crypt l64a
c0<1/2 r0: memcpy memmove
c0<1/2 i0: mempcpy
c0<1/3 i0: memccpy
c1<0/2: bcopy
w0/2 r0: memset
w0 r0: wmemset wcscpy wcsncpy wcscat fgetws
w0/1: bzero explicit_bzero
t0 r0: strcpy strncpy strcat strncat fgets gets
t0 i0: stpcpy stpncpy
t0 f1: sprintf
t0 f2: snprintf
f0: printf
f1: fprintf dprintf
t0: vsprintf vsnprintf strftime strxfrm gethostname getlogin_r confstr
t0 r0 new: getcwd getwd
t0 r0: asctime_r mkdtemp mktemp
t1 r1: ctime_r
t1 r1 lib: strerror_r
t1: xpg_strerror_r ttyname_r readlink
t1 r1 new: realpath
t2: readlinkat
t0: mkstemp
w0: fread
w1/2: read recv
w1: pread
w0/1: getentropy
w0: getrandom
t1+: scanf wscanf
t2+: fscanf sscanf fwscanf swscanf
v1: vscanf
v2: vfscanf vsscanf
i0: strchr strrchr strchrnul strstr strcasestr strpbrk memchr memrchr rawmemchr memmem index rindex basename dirname wcschr wcsrchr wcsstr
k4(0,1*) i1: bsearch lfind
k4(0,1*) i1 c1<0 t2: lsearch
k3(0*,0*) w0: qsort
k3(0*,0*,4) w0: qsort_r
a0: atexit at_quick_exit on_exit
a1 lib: signal bsd_signal sysv_signal __sysv_signal
e: exit quick_exit raise kill alarm pause abort sleep usleep
k2(3) w0: pthread_create
k1(2) w0: thrd_create
k1(): pthread_once call_once
p1=0: strtol strtoul strtoll strtoull strtod strtof strtold strtoimax strtoumax strtoq strtouq wcstol
t1: frexp frexpf frexpl modf modff modfl lgamma_r lgammaf_r lgammal_r waitpid
t2: remquo remquof remquol
t1 t2: sincos sincosf sincosl
t0: time wait mbtowc mbrtowc wctomb rand_r
w0: gettimeofday times uname pipe sigemptyset sigfillset sigaddset sigdelset sysinfo timespec_get mktime timegm mbstowcs wcstombs
w0: setjmp _setjmp sigsetjmp __sigsetjmp getcontext pthread_mutex_init pthread_cond_init pthread_attr_init
w0: pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_mutex_destroy pthread_cond_wait pthread_cond_signal pthread_cond_broadcast
w1 r1: localtime_r gmtime_r
w1: stat fstat lstat clock_gettime clock_getres nanosleep getrlimit getrusage fgetpos pthread_join statfs getitimer
w2: sigprocmask setitimer
a*1 w2: sigaction
w3: getsockopt
r2: freopen
h0: strtok
p2=0 t*2 r*2: strtok_r
t*0 r*0 t0: strsep
- : free cfree
- : fclose fflush fseek fseeko ftell ftello rewind feof ferror clearerr fileno setvbuf setbuf setlinebuf pclose closedir fsetpos ungetc fputc
- : putc putchar puts fputs fwrite vprintf vfprintf vdprintf perror write fgetc getc getchar getw putw syslog vsyslog
- : strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll strspn strcspn strverscmp memcmp bcmp wcslen wcscmp wcsncmp mblen
- : atoi atol atoll atof rand srand random srandom drand48 srand48 lrand48 mrand48 abs labs llabs div ldiv lldiv clock difftime
- : _exit _Exit longjmp _longjmp siglongjmp __assert_fail __assert __stack_chk_fail getpid getppid getuid
- : geteuid getgid getegid isatty access chdir mkdir rmdir remove rename unlink creat open close dup dup2 lseek system chmod umask fork execvp
- : isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper toascii isascii
- : putenv setenv unsetenv sched_yield sysconf getpagesize malloc_usable_size malloc_trim mallopt funlockfile flockfile fsync ftruncate truncate
- : sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p pow sqrt cbrt hypot erf erfc tgamma lgamma
- : ceil floor trunc round lround llround rint lrint nearbyint fabs fmod remainder fmin fmax fdim fma ldexp scalbn scalbln ilogb logb copysign nan
- : reach_error __VERIFIER_error __VERIFIER_assume
"""
_WORD = re.compile(r"([a-z]+\*?)(\d*)(\+)?(?:[<=](\w+))?(?:/(\d+))?(?:\(([\d,?*]*)\))?$")


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect: its letters in the table, the argument it is about, a second one, the argument that is a number of bytes, what is passed on."""

    kind: str
    argument: int = -1
    other: str = ""
    size: int = -1
    later: bool = False
    passed: tuple[tuple[int, bool], ...] = ()  # an argument, and whether it is one of its elements


UNLISTED = (Effect("esc"),)


@cache
def _table() -> dict[str, tuple[Effect, ...]]:
    found: dict[str, tuple[Effect, ...]] = {}
    for line in _TABLE.strip().splitlines():
        effects, _, names = line.partition(":")
        row = tuple(_effect(word) for word in effects.split() if word != "-")
        for name in names.split():
            found[name] = row
    return found


def _effect(word: str) -> Effect:
    m = _WORD.match(word)
    assert m is not None, word
    kind, argument, later, other, size, passed = m.groups()
    given = tuple((int(x.strip("?*") or -1), x.endswith("*")) for x in (passed or "").split(",") if x)
    return Effect(kind, int(argument or -1), other or "", int(size or -1), bool(later), given)


def effects_of(name: str) -> tuple[Effect, ...]:
    """What a library function does."""
    table = _table()
    row = table.get(name)
    if row is None:
        row = table.get(_plain(name))
    if row is None and name.startswith("__VERIFIER_nondet_"):
        row = ()
    return UNLISTED if row is None else row


def _plain(name: str) -> str:
    """The name without what headers and versions of the library add to it."""
    for prefix in ("__isoc99_", "__isoc23_", "_IO_"):
        name = name.removeprefix(prefix)
    if name.startswith("__"):
        name = name[2:]
    for suffix in ("_chk", "_unlocked", "64"):
        name = name.removesuffix(suffix)
    return name

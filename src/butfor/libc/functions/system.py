"""The world of the process: time, environment, options, locale, users, other processes."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    ANYTHING,
    NOTHING,
    calls_registered,
    returns,
    returns_new_block,
    returns_static,
    writes,
    writes_text,
)
from butfor.libc.record import CFile, Control, LibcFunction, SearchModel, family

_MISC = CFile("libc_misc.c")
_time_h = partial(LibcFunction, "time.h", harmless=True)
_stdlib_h = partial(LibcFunction, "stdlib.h", harmless=True)
_unistd_h = partial(LibcFunction, "unistd.h")
_getopt_h = partial(LibcFunction, "getopt.h", harmless=True, search=SearchModel.OPTIONS)
_wait_h = partial(LibcFunction, "sys/wait.h")
_locale_h = partial(LibcFunction, "locale.h")
_libintl_h = partial(LibcFunction, "libintl.h")
_resource_h = partial(LibcFunction, "sys/resource.h")
_STATIC = (returns_static(),)

_TIME = (
    _time_h("time_t time(time_t *to)", (writes_text("to"),), model=_MISC),
    _time_h("clock_t clock(void)", NOTHING),
    _time_h("double difftime(time_t later, time_t earlier)", NOTHING),
    *family(_time_h("struct tm *{}(const time_t *time)", _STATIC, model=_MISC), "localtime gmtime"),
    *family(
        _time_h("struct tm *{}(const time_t *time, struct tm *to)", (writes("to"), returns("to")), model=_MISC),
        "localtime_r gmtime_r",
    ),
    _time_h("char *ctime(const time_t *time)", _STATIC, model=_MISC),
    _time_h("char *ctime_r(const time_t *time, char *to)", (writes_text("to"), returns("to"))),
    _time_h("char *asctime(const struct tm *time)", _STATIC, model=_MISC),
    _time_h("char *asctime_r(const struct tm *time, char *to)", (writes_text("to"), returns("to"))),
    _time_h(
        "size_t strftime(char *to, size_t size, const char *format, const struct tm *time)",
        (writes_text("to"),),
        model=_MISC,
    ),
    *family(_time_h("time_t {}(struct tm *time)", (writes("time"),), model=_MISC), "mktime timegm"),
    _time_h("int timespec_get(struct timespec *to, int base)", (writes("to"),), model=_MISC),
    _time_h("int clock_gettime(clockid_t clock, struct timespec *to)", (writes("to"),), model=_MISC),
    _time_h("int clock_getres(clockid_t clock, struct timespec *to)", (writes("to"),)),
    _time_h("int nanosleep(const struct timespec *time, struct timespec *rest)", (writes("rest"),), model=_MISC),
    LibcFunction(
        "sys/time.h", "int gettimeofday(struct timeval *to, void *zone)", (writes("to"),), harmless=True, model=_MISC
    ),
    LibcFunction("sys/time.h", "int getitimer(__itimer_which_t which, struct itimerval *to)", (writes("to"),)),
    LibcFunction(
        "sys/time.h",
        "int setitimer(__itimer_which_t which, const struct itimerval *timer, struct itimerval *old)",
        (writes("old"),),
        outlives_fork=False,
    ),
    LibcFunction("sys/times.h", "clock_t times(struct tms *to)", (writes("to"),)),
    LibcFunction(
        "time.h",
        "int timer_create(clockid_t clock, struct sigevent *event, timer_t *to)",
        ANYTHING,
        control=Control.ASYNCHRONOUS,
        outlives_fork=False,
    ),
    _unistd_h("unsigned sleep(unsigned seconds)", (calls_registered(),), harmless=True),
    _unistd_h("int usleep(useconds_t microseconds)", (calls_registered(),), harmless=True),
)

_ENVIRONMENT = (
    *family(_stdlib_h("char *{}(const char *name)", _STATIC, reads_input=True, model=_MISC), "getenv secure_getenv"),
    _stdlib_h("int putenv(char *text)", NOTHING, model=_MISC),
    _stdlib_h("int setenv(const char *name, const char *value, int overwrite)", NOTHING, model=_MISC),
    _stdlib_h("int unsetenv(const char *name)", NOTHING, model=_MISC),
    _getopt_h("int getopt(int count, char *const arguments[], const char *options)", ANYTHING),
    *family(
        _getopt_h(
            "int {}(int count, char *const *arguments, const char *options, const struct option *names, int *index)",
            ANYTHING,
        ),
        "getopt_long getopt_long_only",
    ),
    LibcFunction("errno.h", "int *__errno_location(void)", _STATIC, never_null=True, harmless=True),
)

_LOCALE_AND_MESSAGES = (
    _locale_h("char *setlocale(int category, const char *locale)", _STATIC, harmless=True),
    _locale_h("struct lconv *localeconv(void)", _STATIC),
    _locale_h("locale_t newlocale(int mask, const char *name, locale_t base)", (returns_new_block(),)),
    LibcFunction("langinfo.h", "char *nl_langinfo(nl_item item)", _STATIC),
    _libintl_h("char *gettext(const char *text)", _STATIC),
    _libintl_h("char *dgettext(const char *domain, const char *text)", _STATIC),
    _libintl_h("char *bindtextdomain(const char *domain, const char *folder)", _STATIC),
    _libintl_h("char *textdomain(const char *domain)", _STATIC),
    LibcFunction("dlfcn.h", "char *dlerror(void)", _STATIC),
    LibcFunction("netdb.h", "const char *gai_strerror(int error)", _STATIC),
    LibcFunction("netdb.h", "const char *hstrerror(int error)", _STATIC),
    LibcFunction("netdb.h", "struct hostent *gethostbyname(const char *name)", _STATIC),
    LibcFunction("crypt.h", "char *crypt(const char *key, const char *salt)", _STATIC),
    LibcFunction("stdlib.h", "char *l64a(long number)", _STATIC),
    LibcFunction("syslog.h", "void syslog(int priority, const char *format, ...)", NOTHING),
    LibcFunction("syslog.h", "void vsyslog(int priority, const char *format, va_list arguments)", NOTHING),
)

_USERS_AND_MACHINE = (
    *family(_unistd_h("pid_t {}(void)", NOTHING, harmless=True), "getpid getppid"),
    *family(_unistd_h("uid_t {}(void)", NOTHING, harmless=True), "getuid geteuid"),
    *family(_unistd_h("gid_t {}(void)", NOTHING, harmless=True), "getgid getegid"),
    _unistd_h("int getpagesize(void)", NOTHING, harmless=True),
    _unistd_h("long sysconf(int name)", NOTHING, harmless=True),
    _unistd_h("size_t confstr(int name, char *to, size_t size)", (writes_text("to"),)),
    _unistd_h("int gethostname(char *to, size_t size)", (writes_text("to"),)),
    _unistd_h("char *getlogin(void)", _STATIC),
    _unistd_h("int getlogin_r(char *to, size_t size)", (writes_text("to"),)),
    _unistd_h("char *ttyname(int file)", _STATIC),
    _unistd_h("int ttyname_r(int file, char *to, size_t size)", (writes_text("to"),)),
    LibcFunction("stdio.h", "char *ctermid(char *to)", _STATIC),
    LibcFunction("pwd.h", "struct passwd *getpwnam(const char *name)", _STATIC),
    LibcFunction("pwd.h", "struct passwd *getpwuid(uid_t user)", _STATIC),
    LibcFunction("grp.h", "struct group *getgrnam(const char *name)", _STATIC),
    LibcFunction("grp.h", "struct group *getgrgid(gid_t group)", _STATIC),
    LibcFunction("sys/utsname.h", "int uname(struct utsname *to)", (writes("to"),)),
    LibcFunction("sys/sysinfo.h", "int sysinfo(struct sysinfo *to)", (writes("to"),)),
    _resource_h("int getrlimit(__rlimit_resource_t which, struct rlimit *to)", (writes("to"),)),
    _resource_h("int getrusage(__rusage_who_t which, struct rusage *to)", (writes("to"),)),
    LibcFunction(
        "sys/socket.h",
        "int getsockopt(int socket, int level, int option, void *to, socklen_t *size)",
        (writes("to"),),
    ),
)

_PROCESSES = (
    LibcFunction("stdlib.h", "int system(const char *command)", NOTHING, model=CFile("libc_file.c")),
    _unistd_h("pid_t fork(void)", NOTHING),
    _unistd_h("pid_t vfork(void)", ANYTHING, control=Control.ASYNCHRONOUS),
    _unistd_h("int execvp(const char *file, char *const arguments[])", NOTHING),
    _wait_h("pid_t wait(int *status)", (writes_text("status"),)),
    _wait_h("pid_t waitpid(pid_t process, int *status, int options)", (writes_text("status"),)),
    LibcFunction("sched.h", "int sched_yield(void)", NOTHING, harmless=True),
)

FUNCTIONS = (*_TIME, *_ENVIRONMENT, *_LOCALE_AND_MESSAGES, *_USERS_AND_MACHINE, *_PROCESSES)

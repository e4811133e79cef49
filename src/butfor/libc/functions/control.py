"""Functions that change where the program goes: exits, failures, jumps, signals, threads, verification tasks."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import (
    ANYTHING,
    NOTHING,
    calls,
    calls_registered,
    registers,
    registers_pointee,
    returns_static,
    writes,
)
from butfor.libc.record import CFile, Control, LibcFunction, SearchModel, family

_CONTROL = CFile("libc_control.c")
_HANDLER = "void (*handler)(int)"
_stdlib_h = partial(LibcFunction, "stdlib.h")
_unistd_h = partial(LibcFunction, "unistd.h")
_setjmp_h = partial(LibcFunction, "setjmp.h")
_signal_h = partial(LibcFunction, "signal.h")
_ucontext_h = partial(LibcFunction, "ucontext.h", control=Control.ASYNCHRONOUS)
_assert_h = partial(LibcFunction, "assert.h", control=Control.FAILURE)
_err_h = partial(LibcFunction, "err.h", control=Control.FATAL)
_pthread_h = partial(LibcFunction, "pthread.h")
_verifier = partial(LibcFunction, "", harmless=True, model=_CONTROL)
_EXIT_HANDLERS = (calls_registered(),)
_KEEPS_HANDLER = (registers("handler"), returns_static())

_ENDS = (
    _stdlib_h(
        "void exit(int status)",
        _EXIT_HANDLERS,
        control=Control.EXIT,
        harmless=True,
        search=SearchModel.IRRELEVANT,
    ),
    _stdlib_h("void quick_exit(int status)", _EXIT_HANDLERS, control=Control.EXIT),
    _unistd_h(
        "void _exit(int status)",
        NOTHING,
        control=Control.EXIT,
        harmless=True,
        search=SearchModel.IRRELEVANT,
        model=_CONTROL,
    ),
    _stdlib_h("void _Exit(int status)", NOTHING, control=Control.EXIT, harmless=True, model=_CONTROL),
    _stdlib_h("int atexit(void (*handler)(void))", (registers("handler"),), harmless=True),
    _stdlib_h("int at_quick_exit(void (*handler)(void))", (registers("handler"),)),
    _stdlib_h("int on_exit(void (*handler)(int, void *), void *argument)", (registers("handler"),)),
)

_FAILURES = (
    _stdlib_h(
        "void abort(void)",
        _EXIT_HANDLERS,
        control=Control.FAILURE,
        harmless=True,
        search=SearchModel.IRRELEVANT,
        model=_CONTROL,
    ),
    _assert_h(
        "void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)",
        NOTHING,
        harmless=True,
        model=_CONTROL,
    ),
    _assert_h(
        "void __assert(const char *condition, const char *file, int line)", NOTHING, harmless=True, model=_CONTROL
    ),
    _assert_h("void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)", ANYTHING),
    LibcFunction(
        "",  # that of macOS
        "void __assert_rtn(const char *function, const char *file, int line, const char *condition)",
        ANYTHING,
        control=Control.FAILURE,
    ),
    LibcFunction("", "void __stack_chk_fail(void)", NOTHING, control=Control.FATAL),
    LibcFunction("", "void __chk_fail(void)", NOTHING, control=Control.FATAL, harmless=True),
    *family(_err_h("void {}(int status, const char *format, ...)", _EXIT_HANDLERS), "err errx"),
    *family(_err_h("void {}(int status, const char *format, va_list arguments)", _EXIT_HANDLERS), "verr verrx"),
)

_JUMPS = (
    *(
        _setjmp_h(f"int {name}(jmp_buf place)", (writes("place"),), control=Control.SETJMP, harmless=True)
        for name in ("setjmp", "_setjmp")
    ),
    LibcFunction("", "int sigsetjmp(sigjmp_buf place, int mask)", (writes("place"),), control=Control.SETJMP),
    _setjmp_h("int __sigsetjmp(sigjmp_buf place, int mask)", (writes("place"),), control=Control.SETJMP, harmless=True),
    _setjmp_h("void longjmp(jmp_buf place, int value)", NOTHING, control=Control.LONGJMP, harmless=True),
    _setjmp_h("void _longjmp(jmp_buf place, int value)", NOTHING, control=Control.LONGJMP),
    _setjmp_h("void siglongjmp(sigjmp_buf place, int value)", NOTHING, control=Control.LONGJMP, harmless=True),
    _ucontext_h("int getcontext(ucontext_t *to)", (writes("to"),)),
    _ucontext_h("int setcontext(const ucontext_t *context)", ANYTHING),
    _ucontext_h("void makecontext(ucontext_t *context, void (*function)(void), int count, ...)", ANYTHING),
    _ucontext_h("int swapcontext(ucontext_t *old, const ucontext_t *context)", ANYTHING),
)

_SIGNALS = (
    _signal_h(
        f"void (*signal(int number, {_HANDLER}))(int)",
        _KEEPS_HANDLER,
        control=Control.ASYNCHRONOUS,
        harmless=True,
        model=_CONTROL,
    ),
    *(
        LibcFunction("", f"void (*{name}(int number, {_HANDLER}))(int)", _KEEPS_HANDLER, control=Control.ASYNCHRONOUS)
        for name in ("bsd_signal", "sysv_signal", "__sysv_signal")
    ),
    _signal_h(f"void (*sigset(int number, {_HANDLER}))(int)", ANYTHING, control=Control.ASYNCHRONOUS),
    _signal_h(
        "int sigaction(int number, const struct sigaction *action, struct sigaction *old)",
        (registers_pointee("action"), writes("old")),
        control=Control.ASYNCHRONOUS,
        harmless=True,
        model=_CONTROL,
    ),
    _signal_h("int raise(int number)", (calls_registered(),), control=Control.SIGNAL, harmless=True),
    _signal_h("int kill(pid_t process, int number)", (calls_registered(),), control=Control.SIGNAL),
    _unistd_h("unsigned alarm(unsigned seconds)", (calls_registered(),), control=Control.SIGNAL, outlives_fork=False),
    _unistd_h("int pause(void)", (calls_registered(),), control=Control.SIGNAL),
    *family(_signal_h("int {}(sigset_t *set)", (writes("set"),)), "sigemptyset sigfillset"),
    *family(_signal_h("int {}(sigset_t *set, int number)", (writes("set"),)), "sigaddset sigdelset"),
    _signal_h("int sigprocmask(int how, const sigset_t *set, sigset_t *old)", (writes("old"),)),
)

_THREADS = (
    _pthread_h(
        "int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, "
        "void *(*start)(void *), void *argument)",
        (calls("start", "argument"), writes("thread")),
        control=Control.ASYNCHRONOUS,
        harmless=True,
        outlives_fork=False,
        model=_CONTROL,
    ),
    LibcFunction(
        "threads.h",
        "int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)",
        (calls("start", "argument"), writes("thread")),
        control=Control.ASYNCHRONOUS,
        harmless=True,
        outlives_fork=False,
        model=_CONTROL,
    ),
    LibcFunction(
        "sched.h",
        "int clone(int (*start)(void *), void *stack, int flags, void *argument, ...)",
        ANYTHING,
        control=Control.ASYNCHRONOUS,
        harmless=True,
        outlives_fork=False,
        model=_CONTROL,
    ),
    LibcFunction(
        "aio.h",
        "int aio_read(struct aiocb *request)",
        ANYTHING,
        control=Control.ASYNCHRONOUS,
        outlives_fork=False,
    ),
    _pthread_h("int pthread_once(pthread_once_t *once, void (*start)(void))", (calls("start"),)),
    LibcFunction("threads.h", "void call_once(once_flag *once, void (*start)(void))", (calls("start"),)),
    _pthread_h("int pthread_join(pthread_t thread, void **result)", (writes("result"),)),
    _pthread_h("int pthread_attr_init(pthread_attr_t *to)", (writes("to"),)),
    _pthread_h(
        "int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)", (writes("mutex"),)
    ),
    *family(
        _pthread_h("int {}(pthread_mutex_t *mutex)", (writes("mutex"),)),
        "pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_mutex_destroy",
    ),
    _pthread_h(
        "int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)",
        (writes("condition"),),
    ),
    _pthread_h("int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)", (writes("condition"),)),
    *family(
        _pthread_h("int {}(pthread_cond_t *condition)", (writes("condition"),)),
        "pthread_cond_signal pthread_cond_broadcast",
    ),
)

# The functions of SV-COMP. Values of other kinds than those with a model are nondeterministic too.
_NONDETERMINISTIC = {
    "int": "int",
    "uint": "unsigned",
    "unsigned": "unsigned",
    "unsigned_int": "unsigned",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "short": "short",
    "ushort": "unsigned short",
    "char": "char",
    "uchar": "unsigned char",
    "size_t": "size_t",
    "loff_t": "long long",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned",
    "u64": "unsigned long long",
    "S8": "signed char",
    "U8": "unsigned char",
    "U16": "unsigned short",
    "U32": "unsigned",
    "_Bool": "_Bool",
    "float": "float",
    "double": "double",
    "pointer": "void *",
}

_VERIFICATION_TASKS = (
    *family(_verifier("void {}(void)", NOTHING, control=Control.ERROR_LOCATION), "reach_error __VERIFIER_error"),
    _verifier(
        "void __VERIFIER_assume(int condition)",
        NOTHING,
        control=Control.ASSUMPTION,
        search=SearchModel.IRRELEVANT,
    ),
    *(
        _verifier(f"{c_type} __VERIFIER_nondet_{kind}(void)", NOTHING, search=SearchModel.NONDETERMINISTIC)
        for kind, c_type in _NONDETERMINISTIC.items()
    ),
    _verifier("_Bool __VERIFIER_nondet_bool(void)", NOTHING, result_range=(0, 1), search=SearchModel.NONDETERMINISTIC),
    _verifier(
        "void __VERIFIER_nondet_memory(void *to, size_t count)",
        (writes("to", "count"),),
        search=SearchModel.NONDETERMINISTIC,
    ),
)

FUNCTIONS = (*_ENDS, *_FAILURES, *_JUMPS, *_SIGNALS, *_THREADS, *_VERIFICATION_TASKS)

"""What library functions give and what they want, as far as the analysis decides checks of their calls.

`ACCESSES`: by function the pointers that it follows, as (argument, bytes): bytes is the number of an argument, a tuple of arguments to be multiplied,
or None where it depends on texts.
"""

from __future__ import annotations

# what makes memory change behind the back of the code that is analysed, or control go where no edge leads
BEYOND = frozenset(
    """setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp getcontext setcontext makecontext swapcontext vfork clone
    signal bsd_signal sysv_signal __sysv_signal sigaction sigset pthread_create thrd_create timer_create aio_read""".split()
)
KEEPING = frozenset("setvbuf setbuf setbuffer".split())  # functions that go on writing to a buffer that they were given
REPORTS = frozenset(
    "__assert_fail __assert abort reach_error __VERIFIER_error __assert_rtn __assert_perror_fail".split()
)
ENDS = (
    frozenset("exit _exit _Exit quick_exit longjmp _longjmp siglongjmp __stack_chk_fail err errx verr verrx".split())
    | REPORTS
)
ALLOCATORS = frozenset("malloc calloc realloc reallocarray aligned_alloc memalign valloc pvalloc".split())
RETURNS_FIRST = frozenset("memcpy memmove memset strcpy strncpy strcat strncat".split())
NEVER_NULL = frozenset("__errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc".split())
RESULTS = {
    "getchar": (-1, 255),
    "fgetc": (-1, 255),
    "getc": (-1, 255),
    "rand": (0, (1 << 31) - 1),
    "random": (0, (1 << 31) - 1),
    "__VERIFIER_nondet_bool": (0, 1),
}
_Bytes = int | tuple[int, ...] | None
_TEXT: _Bytes = None
ACCESSES: dict[str, tuple[tuple[int, _Bytes], ...]] = {
    "memcpy": ((0, 2), (1, 2)),
    "memmove": ((0, 2), (1, 2)),
    "mempcpy": ((0, 2), (1, 2)),
    "memset": ((0, 2),),
    "memcmp": ((0, 2), (1, 2)),
    "bcmp": ((0, 2), (1, 2)),
    "memchr": ((0, 2),),
    "bzero": ((0, 1),),
    "read": ((1, 2),),
    "write": ((1, 2),),
    "fread": ((0, (1, 2)),),
    "fwrite": ((0, (1, 2)),),
    "fgets": ((0, 1),),
    "snprintf": ((0, 1),),
    "vsnprintf": ((0, 1),),
    "strncpy": ((0, 2), (1, _TEXT)),
    "strncat": ((0, _TEXT), (1, _TEXT)),
    **dict.fromkeys(
        "strcpy stpcpy strcat strcmp strcoll strcasecmp strstr strcspn strspn strpbrk".split(), ((0, _TEXT), (1, _TEXT))
    ),
    **dict.fromkeys("strncmp strncasecmp".split(), ((0, _TEXT), (1, _TEXT))),
    **dict.fromkeys(
        "strlen strdup strchr strrchr puts atoi atol atoll atof strtol strtoul strtoll strtod gets sprintf vsprintf".split(),
        ((0, _TEXT),),
    ),
    "strnlen": ((0, _TEXT),),
    "strndup": ((0, _TEXT),),
    "qsort": ((0, (1, 2)),),
}


def plain_name(name: str) -> str:
    """The name of a function or memory intrinsic without what headers and the compiler add to it."""
    if name.startswith("llvm.mem"):
        return name.split(".")[1]
    for prefix in ("__isoc99_", "__isoc23_", "_IO_"):
        name = name.removeprefix(prefix)
    if name.startswith("__") and name.endswith("_chk"):
        name = name[2:-4]
    return name.removesuffix("_unlocked")

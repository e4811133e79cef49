"""Library functions without a model that change no memory of the program: after them, nothing has to be looked at again."""

from __future__ import annotations

HARMLESS = frozenset(
    """
    __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max __errno_location
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper toascii
    iswalnum iswalpha iswdigit iswlower iswspace iswupper iswxdigit towlower towupper
    abs labs llabs imaxabs ffs ffsl ffsll
    acos asin atan atan2 cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot ilogb ldexp lgamma
    llrint llround log log10 log1p log2 logb lrint lround nearbyint nextafter pow remainder rint round scalbln scalbn sin sinh sqrt tan tanh
    tgamma trunc
    acosf asinf atanf atan2f cbrtf ceilf copysignf cosf coshf expf fabsf floorf fmaf fmaxf fminf fmodf hypotf log10f log2f logf powf roundf
    sinf sinhf sqrtf tanf tanhf truncf lroundf
    acosl asinl atanl ceill cosl expl fabsl floorl fmodl logl powl roundl sinl sqrtl tanl truncl
    getpid getppid getuid geteuid getgid getegid isatty clock getpagesize sysconf sched_yield sleep usleep fflush feof ferror fileno
    __isnan __isinf __finite __signbit __fpclassify __isnanf __isinff __signbitf __fpclassifyf srand srandom rand random drand48 lrand48
    """.split()
)

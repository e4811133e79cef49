"""Floating-point functions: only a few of them write memory."""

from __future__ import annotations

from functools import partial

from butfor.libc.effects import NOTHING, writes_text
from butfor.libc.record import CFile, LibcFunction, family

_MATH = CFile("libc_math.c")
_math_h = partial(LibcFunction, "math.h", harmless=True)
_TYPES = (("double", ""), ("float", "f"), ("long double", "l"))

_OF_ONE = (
    *family(
        _math_h("double {}(double x)", NOTHING),
        """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p
        log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc""",
    ),
    *family(
        _math_h("float {}(float x)", NOTHING),
        """acosf asinf atanf cbrtf ceilf cosf coshf expf fabsf floorf log10f log2f logf roundf sinf sinhf sqrtf tanf
        tanhf truncf""",
    ),
    *family(
        _math_h("long double {}(long double x)", NOTHING),
        "acosl asinl atanl ceill cosl expl fabsl floorl logl roundl sinl sqrtl tanl truncl",
    ),
)

_OF_SEVERAL = (
    *family(
        _math_h("double {}(double x, double y)", NOTHING),
        "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder",
    ),
    *family(_math_h("float {}(float x, float y)", NOTHING), "atan2f copysignf fmaxf fminf fmodf hypotf powf"),
    *family(_math_h("long double {}(long double x, long double y)", NOTHING), "fmodl powl"),
    _math_h("double fma(double x, double y, double z)", NOTHING),
    _math_h("float fmaf(float x, float y, float z)", NOTHING),
    *family(_math_h("double {}(double x, int exponent)", NOTHING), "ldexp scalbn"),
    _math_h("double scalbln(double x, long exponent)", NOTHING),
    _math_h("double nan(const char *text)", NOTHING),
)

_TO_INTEGERS = (
    _math_h("int ilogb(double x)", NOTHING),
    *family(_math_h("long {}(double x)", NOTHING), "lrint lround"),
    *family(_math_h("long long {}(double x)", NOTHING), "llrint llround"),
    _math_h("long lroundf(float x)", NOTHING),
    *family(_math_h("int {}(double x)", NOTHING), "__finite __fpclassify __isinf __isnan __signbit"),
    *family(_math_h("int {}(float x)", NOTHING), "__fpclassifyf __isinff __isnanf __signbitf"),
)

_WITH_MORE_RESULTS = tuple(
    _math_h(prototype.format(type=c_type, suffix=suffix), effects, model=_MATH)
    for c_type, suffix in _TYPES
    for prototype, effects in (
        ("{type} frexp{suffix}({type} x, int *exponent)", (writes_text("exponent"),)),
        ("{type} modf{suffix}({type} x, {type} *whole)", (writes_text("whole"),)),
        ("{type} lgamma{suffix}_r({type} x, int *sign)", (writes_text("sign"),)),
        ("{type} remquo{suffix}({type} x, {type} y, int *quotient)", (writes_text("quotient"),)),
        (
            "void sincos{suffix}({type} x, {type} *sine, {type} *cosine)",
            (writes_text("sine"), writes_text("cosine")),
        ),
    )
)

FUNCTIONS = (*_OF_ONE, *_OF_SEVERAL, *_TO_INTEGERS, *_WITH_MORE_RESULTS)

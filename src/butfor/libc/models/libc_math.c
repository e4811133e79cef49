/* Models of mathematical functions that write through pointers. */
#include "libc_util.h"
#include <math.h>

#define ONE_OUT(type, name, parameters, at, call) \
    type W(name) parameters {                     \
        KEEP_ERRNO;                               \
        bf_will_write(at, out, sizeof *out);      \
        type r = REAL(call);                      \
        bf_wrote(out, sizeof *out);               \
        return r;                                 \
    }
#define ALL(type, suffix)                                                                       \
    ONE_OUT(type, frexp##suffix, (type x, int *out), 1, frexp##suffix(x, out))                  \
    ONE_OUT(type, modf##suffix, (type x, type *out), 1, modf##suffix(x, out))                   \
    ONE_OUT(type, lgamma##suffix##_r, (type x, int *out), 1, lgamma##suffix##_r(x, out))        \
    ONE_OUT(type, remquo##suffix, (type x, type y, int *out), 2, remquo##suffix(x, y, out))     \
    void W(sincos##suffix)(type x, type *sine, type *cosine) {                                  \
        KEEP_ERRNO;                                                                             \
        bf_will_write(1, sine, sizeof *sine);                                                   \
        bf_will_write(2, cosine, sizeof *cosine);                                               \
        REAL_VOID(sincos##suffix(x, sine, cosine));                                             \
        bf_wrote(sine, sizeof *sine);                                                           \
        bf_wrote(cosine, sizeof *cosine);                                                       \
    }
ALL(double, )
ALL(float, f)
ALL(long double, l)

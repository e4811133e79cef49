/*
 * what: GNU statement expressions and typeof in macros; an argument is used twice
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

#define MAX(a, b)              \
    ({                         \
        __typeof__(a) a_ = (a); \
        __typeof__(b) b_ = (b); \
        a_ > b_ ? a_ : b_;     \
    })
#define UNSAFE_MAX(a, b) ((a) > (b) ? (a) : (b))

static int next_id = 40;

static int take(void)
{
    return next_id++; /* @cause */
}

int main(void)
{
    int other = 12, first, second, spare;

    first = MAX(take(), other);         /* @cause */
    second = UNSAFE_MAX(take(), other); /* @cause */
    spare = ({
        int t = 0, i;
        for (i = 0; i < 5; i++)
            t += i; /* @clean */
        t;
    });
    printf("%d %d %d\n", first, second, spare);
    assert(second == first + 1); /* @fail */
    return 0;
}

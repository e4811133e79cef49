/*
 * what: switch with fallthrough; a missing break adds a second fee
 * args: parcel
 * failure: assertion
 * message: fee == 7
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LETTER, PARCEL, FREIGHT, OTHER };

static int classify(const char *name)
{
    static const char *const names[] = {"letter", "parcel", "freight"};
    int i;
    for (i = 0; i < 3; i++)
        if (!strcmp(name, names[i]))
            break;
    return i;
}

static int price(int kind, int weight)
{
    int fee = 0;
    switch (kind) {
    case FREIGHT:
        fee += weight;
        /* fall through */
    case PARCEL:
        fee += 7; /* @cause */
    case LETTER:  /* the break above is missing */
        fee += 1; /* @cause */
        break;
    default:
        fee = -1;
    }
    return fee; /* @cause */
}

int main(int argc, char **argv)
{
    int kind, fee, served = 0;
    if (argc < 2)
        return 2;
    kind = classify(argv[1]); /* @cause */
    served += argc;           /* @clean */
    fee = price(kind, 30);    /* @cause */
    printf("%d %d\n", served, fee);
    assert(fee == 7); /* @fail */
    return 0;
}

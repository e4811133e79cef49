/* A checksum kept in a variable that is too narrow for it.
 *
 * args: hello
 * expect: 532\n
 * at: main
 * says: printed "20" where "532" was expected
 * says: `?sum`?
 */
#include <stdio.h>
#include <string.h>

struct digest {
    unsigned char sum;
    unsigned length;
};

static void add(struct digest *d, const char *text)
{
    for (const char *p = text; *p; p++) {
        d->sum += (unsigned char)*p;
        d->length++;
    }
}

static unsigned value_of(const struct digest *d)
{
    return d->sum;
}

int main(int argc, char **argv)
{
    struct digest d = {0, 0};
    for (int i = 1; i < argc; i++)
        add(&d, argv[i]);
    printf("%u\n", value_of(&d));
    return 0;
}

/*
 * what: wrong bytes by write(1, ...): a hand made conversion to hexadecimal
 * args: 2748
 * failure: output
 * expect-stdout: "abc\n"
 */
#include <stdlib.h>
#include <unistd.h>

static int rounds;

static int hex(unsigned v, char *out)
{
    char tmp[8];
    int n = 0, i;
    do {
        tmp[n++] = "0123456789abdcef"[v & 15]; /* @cause */
        v >>= 4;                               /* @cause */
        rounds++;                              /* @clean */
    } while (v);
    for (i = 0; i < n; i++)
        out[i] = tmp[n - 1 - i]; /* @cause */
    out[n++] = '\n';
    return n;
}

int main(int argc, char **argv)
{
    char buf[16];
    unsigned v = (unsigned)atoi(argv[1]); /* @cause */
    int n = hex(v, buf);                  /* @cause */
    write(1, buf, n);                     /* @fail */
    return rounds > 99;
}

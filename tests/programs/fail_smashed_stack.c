/*
 * what: smashed stack: strcpy of a long argument into a small local buffer
 * args: AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBCCCCCCCCCCCCCCCCDDDDDDDDDDDDDDDDEEEEEEEEEEEEEEEE
 * failure: memory
 * memory: out-of-bounds
 */
#include <stdio.h>
#include <string.h>

static int greeted;

static int greet(const char *name)
{
    char buf[16];
    strcpy(buf, name); /* @fail */
    return buf[0];
}

static int dispatch(int argc, char **argv)
{
    greeted += 10;         /* @clean */
    return greet(argv[1]); /* @cause */
}

int main(int argc, char **argv)
{
    int r;
    if (argc < 2) /* @cause */
        return 1;
    r = dispatch(argc, argv); /* @cause */
    printf("%d %d\n", r, greeted);
    return 0;
}

/*
 * what: a name that is longer than its array
 * failure: memory
 */
#include <stdio.h>
#include <string.h>

struct user {
    char name[12];
    int level;
};

int main(int argc, char **argv)
{
    struct user *u, one;
    u = &one;
    u->level = 0;
    if (argc < 2 || argv[1][0] == '-')
        return 1;
    strcpy(u->name, argv[1]); /* @fail */
    printf("%s %d\n", u->name, u->level);
    return 0;
}

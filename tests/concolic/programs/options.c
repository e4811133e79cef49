/*
 * what: options on the command line; one of them together with a number leads to a wrong share
 * failure: division
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int i, parts = 4, verbose = 0, total = 100;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            verbose = 1;
        } else if (strcmp(argv[i], "--parts") == 0 && i + 1 < argc) {
            parts = atoi(argv[++i]);
            if (parts < 0)
                return 2;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    if (verbose)
        printf("parts: %d\n", parts);
    printf("%d\n", total / parts); /* @fail */
    return 0;
}

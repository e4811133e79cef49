/*
 * what: fprintf to a temporary file, rewind, fscanf back
 * failure: output
 * expect-stdout: "3 records, sum 600\n"
 */
#include <stdio.h>

int main(void)
{
    FILE *f = tmpfile();
    char key[16];
    int value, n = 0, sum = 0, longest = 0;

    if (!f)
        return 1;
    fprintf(f, "%s %d\n", "alpha", 100);
    fprintf(f, "%s %d\n", "beta", 200);
    fprintf(f, "%s %04d\n", "gamma", 300);
    rewind(f);
    while (fscanf(f, "%15s %d", key, &value) == 2) { /* @cause */
        if (key[0] == 'g')                           /* @cause */
            value /= 10;                             /* @cause */
        sum += value;                                /* @cause */
        n++;
        longest += key[1] != 0; /* @clean */
    }
    fclose(f);
    printf("%d records, sum %d\n", n, sum); /* @fail */
    return longest == 3 ? 0 : 2;
}

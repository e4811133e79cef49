/*
 * what: files by name: fopen, fprintf, fputc, fgets, fgetc, fclose, remove; a header line is counted as data
 * failure: assertion
 * message: sum == 60
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const path = "butfor_construct_fopen.tmp";
static long bytes;

static int save(void)
{
    FILE *f = fopen(path, "w");
    int i;
    if (!f)
        return -1;
    fputs("5 values\n", f);
    for (i = 1; i <= 3; i++)
        fprintf(f, "%d\n", i * 10);
    fputc('\n', f);
    return fclose(f);
}

static int load(void)
{
    FILE *f = fopen(path, "r");
    char line[32];
    int sum = 0, c;
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) /* @cause */
        sum += atoi(line);              /* @cause */
    rewind(f);
    while ((c = fgetc(f)) != EOF)
        bytes++; /* @clean */
    fclose(f);
    return sum; /* @cause */
}

int main(void)
{
    int sum;
    if (save() != 0)
        return 2;
    sum = load(); /* @cause */
    remove(path);
    printf("%d %ld\n", sum, bytes);
    assert(sum == 60); /* @fail */
    return 0;
}

/*
 * what: files: tmpfile, fputs, fprintf, fseek, ftell, fgets, feof; a line is split by a short buffer
 * failure: output
 * expect-stdout: "lines 3\n"
 */
#include <stdio.h>
#include <string.h>

static int count_lines(FILE *f)
{
    char buf[10]; /* too short for the longest line */
    int n = 0;
    while (fgets(buf, sizeof buf, f)) /* @cause */
        n++;                          /* @cause */
    return n;
}

int main(void)
{
    FILE *f = tmpfile();
    long size;
    int n;

    if (!f)
        return 1;
    fputs("first\n", f);
    fprintf(f, "%s %s\n", "second", "line");
    fputs("third\n", f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    size += 1; /* @clean */
    rewind(f);
    n = count_lines(f);      /* @cause */
    printf("lines %d\n", n); /* @fail */
    fclose(f);
    return size == 25 ? 0 : 1;
}

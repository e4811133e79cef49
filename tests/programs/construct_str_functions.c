/*
 * what: strcpy, strncpy, strcat, strncat, strchr, strrchr, strstr, strdup, strlen, strcmp
 * args: /usr/share/doc.old/readme.txt
 * failure: output
 * expect-stdout: "readme.md\n"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *base(const char *path)
{
    const char *slash = strchr(path + 1, '/'); /* @cause */
    return strdup(slash ? slash + 1 : path);   /* @cause */
}

static void replace_ext(char *out, size_t room, const char *name, const char *ext)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : strlen(name);
    if (n >= room - 4)
        n = room - 5;
    strncpy(out, name, n); /* @cause */
    out[n] = '\0';
    strcat(out, ".");
    strncat(out, ext, 3);
}

int main(int argc, char **argv)
{
    char out[64], note[32];
    char *name = base(argv[1]); /* @cause */

    strcpy(note, strstr(argv[1], "old") ? "archive" : "fresh"); /* @clean */
    replace_ext(out, sizeof out, name, "md");                   /* @cause */
    printf("%s\n", out);                                        /* @fail */
    free(name);
    return strcmp(note, "archive");
}

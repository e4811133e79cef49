/*
 * what: a folder is read whose entries libc keeps where a block of the program was freed; does not fail
 * expect-stdout: "read\n"
 * failure: none
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIKE_A_FOLDER = 32816 }; /* what opendir() of glibc allocates */

int main(void)
{
    char *block = malloc(LIKE_A_FOLDER);
    memset(block, 1, LIKE_A_FOLDER);
    free(block);
    DIR *folder = opendir("/");
    size_t letters = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0])
            letters += strlen(entry->d_name);
    closedir(folder);
    puts(letters > 2 ? "read" : "nothing");
    return 0;
}

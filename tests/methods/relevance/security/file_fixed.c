/* The name of the file is in the program.
   file: limit.cfg "limit=0\n"
   security: input-controlled file limit.cfg
*/
#include <assert.h>
#include <stdio.h>

int main(void) {
    int limit = 10;
    FILE *f = fopen("limit.cfg", "r");
    if (f != NULL) {
        if (fscanf(f, "limit=%d", &limit) != 1)
            limit = 10;
        fclose(f);
    }
    assert(limit > 0);
    return 0;
}

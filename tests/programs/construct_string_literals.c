/*
 * what: string literals: concatenation, escapes, arrays from literals, pointers into literals
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "key" ":"

static const char text[] = PREFIX "\tva\x6cue\0hidden";
static const char *const days = "MonTueWedThuFriSatSun";

static const char *value_of(const char *s)
{
    const char *colon = strchr(s, ':');
    return colon + 1; /* @cause */
}

int main(void)
{
    char local[] = "abc", day[4] = "";
    const char *v = value_of(text); /* @cause */

    memcpy(day, days + 3 * 4, 3); /* @clean */
    local[1] = "XYZ"[1];          /* @clean */
    printf("%s %s %d\n", day, local, (int)sizeof text);
    assert(strcmp(v, "value") == 0); /* @fail */
    return 0;
}

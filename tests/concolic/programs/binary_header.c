/*
 * what: a binary header with magic, version and length; the length is trusted
 * failure: memory
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct header {
    uint32_t magic;
    uint16_t version;
    uint16_t length;
};

int main(void)
{
    struct header h;
    char body[256], name[32];

    if (fread(&h, sizeof h, 1, stdin) != 1)
        return 1;
    if (h.magic != 0xfeedc0deu || h.version < 2 || h.version > 3)
        return 1;
    if (h.length > sizeof body)
        return 1;
    memset(body, 'x', sizeof body);
    memcpy(name, body, h.length); /* @fail */
    name[31] = '\0';
    puts(name);
    return 0;
}

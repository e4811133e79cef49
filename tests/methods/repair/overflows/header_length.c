/* A length that the input gives is checked against the wrong limit before a copy.
   args: 9 abcdefghijklmnopqrstuvwxyz
   fault: 15 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_SIZE 32
#define BODY_SIZE 6

static int take(const char *packet, int length)
{
    char body[BODY_SIZE];

    if (length > PACKET_SIZE)
        return -1;
    memcpy(body, packet, length);
    return body[0];
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 0;
    printf("%d\n", take(argv[2], atoi(argv[1])));
    return 0;
}

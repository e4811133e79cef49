/*
 * what: a wrong message by puts through a table of messages
 * args: 404
 * failure: output
 * expect-stdout: "not found\n"
 */
#include <stdio.h>
#include <stdlib.h>

static const struct {
    int code;
    const char *text;
} messages[] = { /* @cause */
    {200, "ok"}, {301, "moved"}, {404, "no content"}, {500, "server error"},
};

static int searched;

static const char *message(int code)
{
    size_t i;
    for (i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        searched++; /* @clean */
        if (messages[i].code == code) /* @cause */
            return messages[i].text;  /* @cause */
    }
    return "unknown";
}

int main(int argc, char **argv)
{
    int code = atoi(argv[1]); /* @cause */
    puts(message(code));      /* @fail */
    return searched > 9;
}

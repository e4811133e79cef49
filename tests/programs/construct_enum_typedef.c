/*
 * what: enums with gaps, typedefs of arrays, function types and structs
 * failure: output
 * expect-stdout: "state CLOSED after 4 events\n"
 */
#include <stdio.h>

typedef enum { OPEN = 1, HALF = 4, CLOSED = 9, BROKEN = -1 } state_t;
typedef enum event { PUSH_, PULL, LOCK, NEVENTS } event_t;
typedef state_t transition(state_t, event_t);
typedef event_t script_t[4];
typedef struct door {
    state_t state;
    unsigned char count;
} door_t;

static transition next;

static state_t next(state_t s, event_t e)
{
    if (e == PUSH_ && s != OPEN)
        return s == CLOSED ? HALF : OPEN; /* @cause */
    if (e == PULL)
        return s == OPEN ? HALF : CLOSED;
    if (e == LOCK)
        return s == CLOSED ? CLOSED : BROKEN;
    return s;
}

static const char *name(state_t s)
{
    switch (s) {
    case OPEN: return "OPEN";
    case HALF: return "HALF"; /* @cause */
    case CLOSED: return "CLOSED";
    case BROKEN: return "BROKEN";
    }
    return "?";
}

int main(void)
{
    static const script_t script = {PULL, PULL, LOCK, PUSH_}; /* @cause */
    door_t d = {OPEN, 0};
    transition *step = &next;
    int i;

    for (i = 0; i < 4; i++) {
        d.state = step(d.state, script[i]); /* @cause */
        d.count++;                          /* @clean */
    }
    printf("state %s after %d events\n", name(d.state), d.count); /* @fail */
    return 0;
}

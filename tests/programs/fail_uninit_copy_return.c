/*
 * what: an uninitialised member goes through a struct copy, a return value and a sum before a branch
 * failure: memory
 * memory: uninitialised
 */
#include <stdio.h>

struct reading {
    int sensor;
    int value;
    int unit;
};

static int samples;

static struct reading measure(int sensor)
{
    struct reading r;
    r.sensor = sensor;
    if (sensor != 2) /* @omission */
        r.value = 100 + sensor;
    r.unit = 1;
    samples += 1; /* @clean */
    return r;     /* @cause */
}

static int value_of(int sensor)
{
    struct reading copy = measure(sensor); /* @cause */
    return copy.value;                     /* @cause */
}

int main(void)
{
    int total;
    total = value_of(1);
    total += value_of(2); /* @cause */
    if (total > 200)      /* @fail */
        puts("high");
    else
        puts("low");
    return samples > 99;
}

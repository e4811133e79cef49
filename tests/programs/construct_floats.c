/*
 * what: float and double arithmetic, conversions and comparisons
 * failure: assertion
 */
#include <assert.h>
#include <stdio.h>

struct sample {
    float value;
    double weight;
};

static struct sample samples[4] = { /* @cause */
    {1.5f, 0.25},
    {2.5f, 0.25},
    {-3.0f, 0.5}, /* the sign is wrong */
    {4.0f, 1.0},
};

static double average(const struct sample *s, int n)
{
    double sum = 0, total = 0;
    int i;
    for (i = 0; i < n; i++) {        /* @cause */
        sum += s[i].value * s[i].weight; /* @cause */
        total += s[i].weight;
    }
    return sum / total;
}

int main(void)
{
    float largest = 0;
    unsigned char byte;
    double avg;
    int i;

    for (i = 0; i < 4; i++)
        if (samples[i].value > largest)
            largest = samples[i].value; /* @clean */
    byte = (unsigned char)(largest * 50.0f); /* @clean */
    avg = average(samples, 4);               /* @cause */
    printf("%d %.1f %.3f\n", byte, largest, avg);
    assert(avg > 2.0 && avg == avg); /* @fail */
    return 0;
}

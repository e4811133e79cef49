/* poly: polynomials as sorted linked lists of terms.
 *
 *   poly add P Q | sub P Q | mul P Q | diff P | eval P X
 *
 * A polynomial is written like "3x^2-x+4".
 */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct term *poly;

struct term {
    long coef;
    int exp;
    poly next; /* of a smaller exponent */
};

static poly term(long coef, int exp, poly next)
{
    poly t = malloc(sizeof *t);
    if (!t) {
        perror("poly");
        exit(2);
    }
    t->coef = coef;
    t->exp = exp;
    t->next = next;
    return t;
}

static void release(poly p)
{
    while (p) {
        poly next = p->next;
        free(p);
        p = next;
    }
}

/* Adds coef*x^exp in place. */
static void accumulate(poly *p, long coef, int exp)
{
    if (coef == 0)
        return;
    while (*p && (*p)->exp > exp)
        p = &(*p)->next;
    if (*p && (*p)->exp == exp) {
        (*p)->coef += coef;
        if ((*p)->coef == 0) {
            poly dead = *p;
            *p = dead->next;
            free(dead);
        }
        return;
    }
    *p = term(coef, exp, *p);
}

static poly combine(poly a, poly b, long factor)
{
    poly sum = NULL;
    for (; a; a = a->next)
        accumulate(&sum, a->coef, a->exp);
    for (; b; b = b->next)
        accumulate(&sum, factor * b->coef, b->exp);
    return sum;
}

static poly multiply(poly a, poly b)
{
    poly product = NULL;
    for (poly s = a; s; s = s->next)
        for (poly t = b; t; t = t->next)
            accumulate(&product, s->coef * t->coef, s->exp + t->exp);
    return product;
}

static poly derivative(poly p)
{
    poly d = NULL, *tail = &d;
    for (; p; p = p->next) {
        if (p->exp == 0)
            continue;
        *tail = term(p->coef * p->exp, p->exp - 1, NULL);
        tail = &(*tail)->next;
    }
    return d;
}

/* Horner's rule with gaps between the exponents */
static long evaluate(poly p, long x)
{
    long value = 0;
    int exp = p ? p->exp : 0;

    while (exp >= 0) {
        value *= x;
        if (p && p->exp == exp) {
            value += p->coef;
            p = p->next;
        }
        exp--;
    }
    assert(p == NULL);
    return value;
}

static poly parse(const char *s)
{
    poly p = NULL;

    while (*s) {
        long sign = 1, coef = 1;
        int exp = 0;
        char *end;

        if (*s == '+' || *s == '-') {
            if (*s == '-')
                sign = -1;
            s++;
        }
        if (isdigit((unsigned char)*s)) {
            coef = strtol(s, &end, 10);
            s = end;
        } else if (*s != 'x') {
            fprintf(stderr, "poly: cannot read %s\n", s);
            exit(2);
        }
        if (*s == 'x') {
            exp = 1;
            s++;
            if (*s == '^') {
                exp = (int)strtol(s + 1, &end, 10);
                s = end;
            }
        }
        accumulate(&p, sign * coef, exp);
    }
    return p;
}

static void print(poly p)
{
    if (!p)
        printf("0");
    for (poly t = p; t; t = t->next) {
        long c = labs(t->coef);
        if (t->coef < 0)
            putchar('-');
        else if (t != p)
            putchar('+');
        if (c != 1 || t->exp == 0)
            printf("%ld", c);
        if (t->exp > 0)
            putchar('x');
        if (t->exp > 1)
            printf("^%d", t->exp);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    poly a, b = NULL, result = NULL;

    if (argc < 3)
        return 2;
    a = parse(argv[2]);
    if (strcmp(argv[1], "eval") == 0 && argc == 4) {
        printf("%ld\n", evaluate(a, atol(argv[3])));
        release(a);
        return 0;
    }
    if (argc == 4)
        b = parse(argv[3]);
    if (strcmp(argv[1], "add") == 0)
        result = combine(a, b, 1);
    else if (strcmp(argv[1], "sub") == 0)
        result = combine(a, b, -1);
    else if (strcmp(argv[1], "mul") == 0)
        result = multiply(a, b);
    else if (strcmp(argv[1], "diff") == 0)
        result = derivative(a);
    else
        return 2;
    print(result);
    release(a);
    release(b);
    release(result);
    return 0;
}

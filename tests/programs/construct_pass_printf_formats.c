/*
 * what: printf, sprintf, snprintf, fprintf with many conversions, widths and stars; does not fail
 * expect-stdout: "[   42] [42   ] [00042] [+42] [2a] [0X2A] [52]\n[-1] [255] [65535] [-9000000000] [18446744073709551615]\n[3.142] [   2.5] [1.000000e+03] [0.0001] [0x1p+1]\n[abc] [  abc] [ab   ] [x] [%] [(nil)]\n[  7|7  ] cut=[hel] need=11 n=6\n"
 * failure: none
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char buf[64], cut[4];
    int need, n = 0;
    short h = -1;
    unsigned char hh = 255;
    unsigned short uh = 65535;

    printf("[%5d] [%-5d] [%05d] [%+d] [%x] [%#X] [%o]\n", 42, 42, 42, 42, 42, 42, 42);
    printf("[%hd] [%hhu] [%hu] [%ld] [%llu]\n", h, hh, uh, -9000000000L, ~0ULL);
    printf("[%.3f] [%6.1f] [%e] [%g] [%a]\n", 3.14159, 2.5, 1000.0, 0.0001, 2.0);
    fprintf(stdout, "[%s] [%5s] [%-5.2s] [%c] [%%] [%p]\n", "abc", "abc", "abc", 'x', (void *)0);
    sprintf(buf, "[%*d|%-*d]%n", 3, 7, 3, 7, &n);
    need = snprintf(cut, sizeof cut, "hello %s", "world");
    n = (int)strlen(buf) - n + 6;
    printf("%s cut=[%s] need=%d n=%d\n", buf, cut, need, n);
    return 0;
}

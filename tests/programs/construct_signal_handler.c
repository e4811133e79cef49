/*
 * what: raise with a signal handler that writes a volatile flag
 * failure: assertion
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t pending, alarms;

static void on_user(int sig)
{
    pending = sig == SIGUSR2 ? 2 : 0; /* @cause */
}

static void on_alarm(int sig)
{
    alarms++; /* @clean */
}

int main(void)
{
    int got;
    signal(SIGUSR1, on_user);
    signal(SIGALRM, on_alarm);
    raise(SIGALRM);
    raise(SIGUSR1);
    raise(SIGALRM);
    got = pending; /* @cause */
    printf("%d %d\n", got, (int)alarms);
    assert(got != 0); /* @fail */
    return 0;
}

/* What odd calls answer, and then a storm of signals whose handler makes calls, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <signal.h>
#include <unistd.h>
static volatile long handled;
static void handler(int s) { char b[64]; int e = errno; if (getrandom(b, 64, 0) == 64) handled++; errno = e; (void)s; }
int main(int count, char **arguments) {
    static char b[1 << 20];
    errno = 0; printf("%zd %d\n", getrandom(b, 10, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 0, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(NULL, 0, 0), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 10, 0x100), errno);
    errno = 0; printf("%zd %d\n", getrandom(b, 10, GRND_RANDOM | GRND_NONBLOCK), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 256), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 257), errno);
    errno = 0; printf("%d %d\n", getentropy(b, 0), errno);
    signal(SIGALRM, handler);
    long every = count > 1 ? atol(arguments[1]) : 200; /* microseconds */
    struct itimerval t = {{0, every}, {0, every}};
    setitimer(ITIMER_REAL, &t, NULL);
    for (int i = 0; i < 300 || handled < 100; i++) {
        ssize_t n = getrandom(b, 20000, 0);
        if (n <= 0 && errno != EINTR) return 1;
    }
    puts("done");
}

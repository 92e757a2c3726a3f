/* Threads cancelled in the midst of calls, deferred and at any instruction: each must end, and as cancelled. Arguments are the number of rounds,
   and 1 for deferred alone. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { THREADS = 4 };

static int cleaned;

static void clean(void *unused) { (void)unused; __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED); }

/* Nothing but calls: only these see a cancellation that is deferred. */
static void *calls(void *type)
{
    char bytes[1000];
    int before;
    pthread_cleanup_push(clean, NULL);
    pthread_setcanceltype(type == NULL ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    for (unsigned n = 0;; n++) {
        getrandom(bytes, n % sizeof bytes, 0);
        getentropy(bytes, n % 256);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

/* Only getentropy(), which is no place to be cancelled at: the flag ends it. */
static volatile int enough;
static void *entropy(void *unused)
{
    char bytes[100];
    int type = -1;
    while (!enough)
        if (getentropy(bytes, sizeof bytes) != 0) return NULL;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    return type == PTHREAD_CANCEL_DEFERRED ? (void *)&enough : unused;
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 100;
    int types = count > 2 ? atoi(arguments[2]) : 2;
    char bytes[100];
    void *result;
    alarm(120); /* a thread that doesn't end is a failure, not a wait without end */
    for (long type = 0; type < types; type++) {
        for (int round = 0; round < rounds; round++) {
            pthread_t threads[THREADS];
            for (int i = 0; i < THREADS; i++)
                if (pthread_create(&threads[i], NULL, calls, (void *)type) != 0) return 2;
            /* In the first call, and in later ones. */
            usleep(round % 4 == 0 ? 0 : (unsigned)rand() % 500);
            for (int i = 0; i < THREADS; i++) pthread_cancel(threads[i]);
            for (int i = 0; i < THREADS; i++)
                if (pthread_join(threads[i], &result) != 0 || result != PTHREAD_CANCELED) return 3;
            if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 4;
        }
        printf("%s: all ended\n", type == 0 ? "deferred" : "asynchronous");
        fflush(stdout);
    }
    /* A thread that is cancelled before it begins needs no cleaning. */
    if (cleaned < rounds) return 5;
    pthread_t thread;
    if (pthread_create(&thread, NULL, entropy, NULL) != 0) return 2;
    pthread_cancel(thread);
    usleep(1000);
    enough = 1;
    if (pthread_join(thread, &result) != 0 || result != (void *)&enough) return 6;
    puts("done");
    return 0;
}

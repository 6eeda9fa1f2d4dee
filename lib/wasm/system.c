/*
 * What the libraries ask a system for, to salt their hashes. There is none around the module, and XML and JSON of one's own files need
 * no salt against collisions.
 */
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

int getpid(void);

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

int getpid(void)
{
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    *time = (struct timeval){0};
    return 0;
}

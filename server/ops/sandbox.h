/*
 * What the daemon may ask of the kernel once it serves: files, memory, threads and its sockets; no programs, no
 * debugging of others, no mounts, no new network connections.
 */
#ifndef POSED_SERVER_OPS_SANDBOX_H
#define POSED_SERVER_OPS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Forbids new privileges and everything that sandbox.c does not list, for every thread of the process and for good.
 * A forbidden call fails with EPERM. False and one line in error when the kernel takes no filter.
 */
bool sandbox_enter(char *error, size_t error_size);

#endif

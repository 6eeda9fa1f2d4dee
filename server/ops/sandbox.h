/*
 * What the daemon may ask of the kernel once it serves: files, memory, threads and its sockets; no programs, no
 * debugging of others, no mounts, no new network connections.
 */
#ifndef POSED_SERVER_OPS_SANDBOX_H
#define POSED_SERVER_OPS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From here on io_uring is a call that the kernel does not have (ENOSYS). What goes through a ring is seen by no filter; and
 * libuv, since 1.45, makes one with each loop when it can, and aborts when the ring is taken from it later. So this comes
 * before the first loop. False and one line in error as below.
 */
bool sandbox_refuse_io_uring(char *error, size_t error_size);

/*
 * Forbids new privileges and everything that sandbox.c does not list, for every thread of the process and for good.
 * A forbidden call fails with EPERM. False and one line in error when the kernel takes no filter.
 */
bool sandbox_enter(char *error, size_t error_size);

#endif

/*
 * Restricts system calls once the daemon serves: files, memory, threads and its sockets are allowed, but not
 * running programs, debugging, mounting, or new network connections.
 */
#ifndef POSED_SERVER_DAEMON_SANDBOX_H
#define POSED_SERVER_DAEMON_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From now on io_uring calls fail with ENOSYS. Operations on a ring bypass the filter; and libuv, since 1.45,
 * creates a ring for each loop if it can, and aborts if the ring is forbidden later. So call this before creating
 * the first loop. False and one line in error as below.
 */
bool sandbox_refuse_io_uring(char *error, size_t error_size);

/*
 * Forbids new privileges and everything that sandbox.c does not list, permanently and for all threads of the
 * process. A forbidden call fails with EPERM. False with one line in error if the kernel rejects the filter.
 */
bool sandbox_enter(char *error, size_t error_size);
/* The same for a daemon that connects to other machines. */
bool sandbox_enter_connecting(char *error, size_t error_size);

#endif

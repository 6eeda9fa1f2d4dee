/*
 * The daemon is a module, loaded by `posed serve`: what only it links (libmicrohttpd, gnutls, libuv, libseccomp,
 * libsystemd) is loaded by no other command. What it shares with them the program exports to it.
 */
#ifndef POSED_SERVER_DAEMON_DAEMON_H
#define POSED_SERVER_DAEMON_DAEMON_H

#include "server/ops/config.h"

/* The module's interface, exported as daemon_module. */
struct daemon_module {
    int (*serve)(const struct config *config); /* until a signal ends it; returns the exit status */
};

#endif

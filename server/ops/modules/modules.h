/*
 * Modules: parts of the program that only some commands need, with the libraries that only they need. They lie beside
 * the program in a build, and in the folder of libraries once installed.
 */
#ifndef POSED_SERVER_OPS_MODULES_MODULES_H
#define POSED_SERVER_OPS_MODULES_MODULES_H

#include <stddef.h>

/* What the module exports by that name. NULL with one line in error, also if it was built with other headers than this
 * program. The module is never unloaded. */
void *module_symbol(const char *file, const char *name, char *error, size_t error_size);

#endif

/* Tells on standard error, when that is a terminal, how far work has got that takes longer than a second. */
#ifndef POSED_SERVER_COMMANDS_PROGRESS_H
#define POSED_SERVER_COMMANDS_PROGRESS_H

#include <stdint.h>

/* what: "extracting". total: steps, 0 when they are not known. One at a time. */
void progress_start(const char *what, uint64_t total);
void progress_step(void);
/* Takes the line away again. Before anything is printed. */
void progress_end(void);

#endif

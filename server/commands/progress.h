/* Shows progress on standard error, if that is a terminal, for work that takes longer than a second. */
#ifndef POSED_SERVER_COMMANDS_PROGRESS_H
#define POSED_SERVER_COMMANDS_PROGRESS_H

#include <stdint.h>

/* From now on nothing is shown. */
void progress_hide(void);
/* what: "extracting". total: number of steps, 0 if unknown. Only one progress at a time. */
void progress_start(const char *what, uint64_t total);
void progress_step(void);
/* Erases the line. Call it before printing anything. */
void progress_end(void);

#endif

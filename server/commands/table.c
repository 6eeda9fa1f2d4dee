#include "server/commands/commands.h"

#include "lib/core/nearest.h"

#include <string.h>

const struct command *const commands[] = {
    &command_serve,   &command_ls,      &command_info,       &command_sample, &command_convert,
    &command_preview, &command_extract, &command_pack,       &command_hash,   &command_resolve,
    &command_health,  &command_reindex, &command_completion, &command_help,   NULL,
};

const struct command *command_find(const char *name)
{
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, name, strlen(name));
    for (const struct command *const *command = commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
        nearest_offer(&nearest, (*command)->name);
    }
    nearest_hint(&nearest, hint);
    command_misused("%s: no such command%s", name, *hint ? hint : "; posed help lists them");
    return NULL;
}

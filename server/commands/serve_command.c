/* `posed serve`: loads the daemon. */
#include "server/commands/commands.h"
#include "server/daemon/daemon.h"
#include "server/ops/modules/modules.h"

#include <stdlib.h>

static int run_serve(const struct command *command, int argc, char **argv)
{
    static struct config config;
    char error[OPTION_ERROR_CAPACITY];
    (void)command;
    if (!config_parse(&config, argc, argv, getenv, error))
        return command_misused("%s", error);
    const struct daemon_module *module =
        module_symbol("posed-serve.so", "daemon_module", error, sizeof error);
    return module ? module->serve(&config) : command_failed(NULL, "the daemon cannot be loaded: %s", error);
}

const struct command command_serve = {
    .name = "serve",
    .operands = "[PATH...]",
    .summary = "serves archives, folders and files over HTTP",
    .description =
        "Each PATH is an archive, a folder (walked), or a loose file. Changes are picked up within\n"
        "a second. If a PATH is missing, the daemon does not start; a broken file is listed with its "
        "error.\n",
    .options = config_options,
    .environment = true,
    .run = run_serve,
};

/* `posed sign`: signs an address for a daemon with --url-key. */
#include "server/commands/commands.h"

#include "api/signing/signed.h"
#include "server/ops/base_path.h"
#include "server/ops/clock.h"

#include <stddef.h>
#include <string.h>

struct sign_options {
    const char *key, *base;
    uint64_t expires_ms;
};

static const struct option options[] = {
    {.name = "--url-key",
     .metavar = "FILE",
     .shown = "needed",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sign_options, key),
     .help = "the keys, one per line; the first signs"},
    {.name = "--expires",
     .metavar = "T",
     .fallback = "0s",
     .shown = "never",
     .kind = OPTION_DURATION,
     .member = offsetof(struct sign_options, expires_ms),
     .help = "how long the signature holds, as 10m, 24h"},
    {.name = "--base-path",
     .metavar = "PREFIX",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sign_options, base),
     .help = "the daemon's, which the address may begin with and the signature leaves out"},
    {.name = NULL},
};

/* The length of "https://host" and of the prefix that the address begins with. */
static size_t head_of(const char *url)
{
    const char *host = strstr(url, "://");
    if (host && host > url + strcspn(url, "/?")) /* of an address in the query */
        host = NULL;
    const char *path = host ? host + 3 + strcspn(host + 3, "/") : url;
    const char *rest = base_path_strip(path);
    return (size_t)((rest >= path && rest <= path + strlen(path) ? rest : path) - url);
}

static int run_sign(const struct command *command, int argc, char **argv)
{
    struct sign_options values;
    struct operands operands;
    char error[256], signed_target[SIGNED_TARGET];
    const char *why;
    if (!command_parse(command, &values, argc, argv, 1, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (!values.key)
        return command_misused("sign needs --url-key FILE: the daemon's");
    if (values.base && !base_path_is_valid(values.base, &why))
        return command_misused("--base-path: %s", why);
    base_path_set(values.base);
    struct url_keys *keys = url_keys_open(values.key, error, sizeof error);
    if (!keys)
        return command_failed(NULL, "%s", error);
    const int64_t exp =
        values.expires_ms ? (clock_wall_ns() / 1000000 + (int64_t)values.expires_ms) / 1000 + 1 : 0;
    int status = COMMAND_DONE;
    for (size_t i = 0; i < operands.count && status == COMMAND_DONE; i++) {
        const char *url = operands.items[i];
        const size_t head = head_of(url);
        if (strcspn(url, " \t\r\n") >= head && signed_make(keys, url + head, exp, signed_target))
            printf("%.*s%s\n", (int)head, url, signed_target);
        else
            status = command_failed(
                url,
                "not an address such as https://example.org/v1/clips/ID.glb?fps=30, without sig, blanks, "
                "line ends, or a parameter twice");
    }
    url_keys_close(keys);
    return status == COMMAND_DONE ? command_finish() : status;
}

const struct command command_sign = {
    .name = "sign",
    .operands = "URL...",
    .summary = "signs addresses for a daemon with --url-key",
    .description =
        "Prints each address with a signature of its path and parameters: strangers may then ask for it.\n"
        "Parameters that are added or changed afterwards make it invalid.\n",
    .options = options,
    .environment = true,
    .run = run_sign,
};

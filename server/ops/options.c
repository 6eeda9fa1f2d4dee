#include "server/ops/options.h"

#include "lib/core/nearest.h"
#include "server/ops/addresses.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --------------------------------------------------------------------------------------------------- values -- */

/* Parses decimal digits at the start of text; also returns what follows. False if there are none or too
 * many. */
static bool parse_digits(const char *text, uint64_t *value, const char **rest)
{
    const char *at = text;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(*value, 10u, value) || __builtin_add_overflow(*value, *at - '0', value))
            return false;
    }
    *rest = at;
    return at != text;
}

static bool parse_count(const char *text, uint64_t *value)
{
    const char *rest;
    return parse_digits(text, value, &rest) && !*rest;
}

/* "256M", "256MB" and "256MiB" are the same; case is ignored. */
bool option_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMGTPE";
    const char *unit;
    if (!parse_digits(text, value, &unit))
        return false;
    if (!*unit)
        return true;
    const char *found = strchr(units, toupper((unsigned char)*unit));
    if (!found || (unit[1] && strcasecmp(unit + 1, "B") && strcasecmp(unit + 1, "iB")))
        return false;
    unsigned shift = 10u * (unsigned)(found - units + 1);
    return !__builtin_mul_overflow(*value, (uint64_t)1 << shift, value);
}

static bool parse_duration(const char *text, uint64_t *ms)
{
    static const struct {
        const char *name;
        uint64_t ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}};
    const char *unit;
    if (!parse_digits(text, ms, &unit))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!strcmp(unit, units[i].name))
            return !__builtin_mul_overflow(*ms, units[i].ms, ms);
    }
    return false;
}

/* Parses a locale-independent decimal number; also returns what follows. */
static bool parse_decimal(const char *text, double *value, const char **rest)
{
    size_t length = strspn(text, "+-.0123456789eE");
    char copy[64], *end;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);
    *value = strtod_l(copy, &end, plain);
    freelocale(plain);
    *rest = text + length;
    return end != copy && !*end && isfinite(*value);
}

static bool parse_number(const char *text, double *value)
{
    const char *rest;
    return parse_decimal(text, value, &rest) && !*rest;
}

static bool parse_rate(const char *text, double *value)
{
    const char *unit;
    *value = 0;
    if (!strcmp(text, "off"))
        return true;
    if (!parse_decimal(text, value, &unit) || *value < 0)
        return false;
    if (!strcmp(unit, "/m"))
        *value /= 60;
    return !*unit || !strcmp(unit, "/s") || !strcmp(unit, "/m");
}

static bool parse_flag(const char *text, bool *value)
{
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *value = i % 2;
        if (!strcasecmp(text, words[i]))
            return true;
    }
    return false;
}

/* Finds one of the words separated by bars. */
static bool parse_choice(const char *words, const char *text, int *value)
{
    size_t length = strlen(text);
    for (*value = 0; words; ++*value) {
        if (length == strcspn(words, "|") && !strncmp(words, text, length))
            return true;
        words = strchr(words, '|');
        words = words ? words + 1 : NULL;
    }
    return false;
}

static bool is_port(const char *text)
{
    uint64_t port;
    return strlen(text) <= 5 && parse_count(text, &port) && port <= 65535;
}

static bool is_address(const char *text)
{
    char host[INET6_ADDRSTRLEN];
    struct in6_addr parsed;
    const char *colon = strrchr(text, ':');
    if (!colon || !is_port(colon + 1))
        return false;
    size_t length = (size_t)(colon - text);
    bool bracketed = length > 2 && *text == '[' && colon[-1] == ']';
    if (bracketed) {
        text++;
        length -= 2;
    }
    if (length >= sizeof host)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    return inet_pton(bracketed ? AF_INET6 : AF_INET, host, &parsed) == 1;
}

/* Describes values of that kind, for error messages. */
static const char *describe_kind(const struct option *option)
{
    switch (option->kind) {
    case OPTION_ADDRESS:
        return "an address such as 127.0.0.1:8080 or [::1]:0";
    case OPTION_NETWORKS:
        return "a list of addresses such as 127.0.0.1,10.0.0.0/8";
    case OPTION_SIZE:
        return "a size such as 256M";
    case OPTION_COUNT:
        return "a whole number";
    case OPTION_DURATION:
        return "a time such as 10s or 500ms";
    case OPTION_RATE:
        return "a rate such as 50/s";
    case OPTION_NUMBER:
        return "a number";
    case OPTION_CHOICE:
        return option->metavar;
    case OPTION_FLAG:
        return "yes or no";
    case OPTION_TEXT:
    case OPTION_DATABASE:
        break;
    }
    return "a value";
}

/* Parses text into the option's member. */
static bool store(const struct option *option, void *values, const char *text)
{
    void *member = (char *)values + option->member;
    switch (option->kind) {
    case OPTION_FLAG:
        return parse_flag(text, member);
    case OPTION_TEXT:
    case OPTION_DATABASE:
        *(const char **)member = text;
        return *text;
    case OPTION_ADDRESS:
        *(const char **)member = text;
        return is_address(text);
    case OPTION_NETWORKS:
        *(const char **)member = text;
        return address_list_parse(&(struct address_list){0}, text);
    case OPTION_SIZE:
        return option_size(text, member);
    case OPTION_COUNT:
        return parse_count(text, member);
    case OPTION_DURATION:
        return parse_duration(text, member);
    case OPTION_RATE:
        return parse_rate(text, member);
    case OPTION_NUMBER:
        return parse_number(text, member);
    case OPTION_CHOICE:
        return parse_choice(option->metavar, text, member);
    }
    return false;
}

__attribute__((format(printf, 2, 3))) static bool fail(char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, OPTION_ERROR_CAPACITY, format, arguments);
    va_end(arguments);
    return false;
}

/* Formats a limit as a user would write it. */
static const char *bound_text(const struct option *option, uint64_t bound, char text[32])
{
    static const char units[] = "\0KMGTP";
    unsigned unit = 0;
    const char *suffix = option->kind == OPTION_DURATION ? "ms" : "";
    if (option->kind == OPTION_DURATION && bound % 1000 == 0) {
        bound /= 1000;
        suffix = "s";
    }
    while (option->kind == OPTION_SIZE && bound && bound % 1024 == 0 && unit < 5) {
        bound /= 1024;
        unit++;
    }
    snprintf(text, 32, "%llu%.1s%s", (unsigned long long)bound, &units[unit], suffix);
    return text;
}

static bool within_bounds(const struct option *option, const void *values, const char *text,
                          const char *origin, char *error)
{
    char least[32], most[32];
    bool bounded =
        option->kind == OPTION_SIZE || option->kind == OPTION_COUNT || option->kind == OPTION_DURATION;
    if (!bounded)
        return true;
    uint64_t value;
    memcpy(&value, (const char *)values + option->member, sizeof value);
    if (value < option->least)
        return fail(error, "%s: %.40s is less than %s", origin, text,
                    bound_text(option, option->least, least));
    if (option->most && value > option->most)
        return fail(error, "%s: %.40s is more than %s", origin, text, bound_text(option, option->most, most));
    return true;
}

/* origin: the option or variable that the text comes from. */
static bool take(const struct option *option, void *values, const char *text, const char *origin, char *error)
{
    if (!store(option, values, text)) {
        bool is_choice = option->kind == OPTION_CHOICE;
        return fail(error, "%s: \"%.40s\" is not %s%s", origin, text, is_choice ? "one of " : "",
                    describe_kind(option));
    }
    return within_bounds(option, values, text, origin, error);
}

/* --------------------------------------------------------------------------------------------------- sources -- */

static void clear(const struct option *option, void *values)
{
    static const size_t sizes[] = {
        [OPTION_FLAG] = sizeof(bool),       [OPTION_TEXT] = sizeof(char *),
        [OPTION_DATABASE] = sizeof(char *), [OPTION_ADDRESS] = sizeof(char *),
        [OPTION_NETWORKS] = sizeof(char *), [OPTION_SIZE] = sizeof(uint64_t),
        [OPTION_COUNT] = sizeof(uint64_t),  [OPTION_DURATION] = sizeof(uint64_t),
        [OPTION_RATE] = sizeof(double),     [OPTION_NUMBER] = sizeof(double),
        [OPTION_CHOICE] = sizeof(int),
    };
    memset((char *)values + option->member, 0, sizes[option->kind]);
}

static bool take_defaults(const struct option *options, void *values, char *error)
{
    for (const struct option *option = options; option->name; option++) {
        clear(option, values);
        if (option->fallback && !take(option, values, option->fallback, option->name, error))
            return false;
    }
    return true;
}

enum { VARIABLE_CAPACITY = 64 };

/* "--cache-size" becomes "POSED_CACHE_SIZE". */
static const char *variable_name(const struct option *option, char name[VARIABLE_CAPACITY])
{
    snprintf(name, VARIABLE_CAPACITY, "POSED_%s", option->name + 2);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
    return name;
}

static bool is_called(const struct option *option, const char *argument, size_t length)
{
    if (length == 2 && argument[1] == option->letter)
        return true;
    return strlen(option->name) == length && !strncmp(option->name, argument, length);
}

static bool is_given(const struct option *option, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && is_called(option, argv[i], strcspn(argv[i], "=")))
            return true;
    }
    return false;
}

/* An empty variable counts as unset, and so does that of an option that is given. */
static bool take_environment(const struct option *options, void *values, int argc, char **argv,
                             option_environment *environment, char *error)
{
    char name[VARIABLE_CAPACITY];
    for (const struct option *option = options; option->name; option++) {
        const char *text = environment(variable_name(option, name));
        if (text && *text && !is_given(option, argc, argv) && !take(option, values, text, name, error))
            return false;
    }
    return true;
}

/* The option of an argument such as "-n", "--name" or "--name=value"; value then points after the '='. */
static const struct option *find_option(const struct option *options, const char *argument,
                                        const char **value)
{
    size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (const struct option *option = options; option && option->name; option++) {
        if (is_called(option, argument, length))
            return option;
    }
    return NULL;
}

static bool fail_unknown(const struct option *options, const char *command, const char *argument, char *error)
{
    struct nearest nearest;
    char hint[NEAREST_HINT];
    const int length = (int)strcspn(argument, "=");
    nearest_begin(&nearest, argument, (size_t)length);
    for (const struct option *option = options; option && option->name; option++)
        nearest_offer(&nearest, option->name);
    nearest_hint(&nearest, hint);
    if (!*hint)
        return fail(error, "%.*s: no such option; see posed %s --help", length, argument, command);
    return fail(error, "%.*s: no such option%s", length, argument, hint);
}

/* As libpq reads a URL: USER:PASSWORD before the "@", or a parameter. */
static bool has_password(const char *url)
{
    const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
    const char *at = memchr(host, '@', strcspn(host, "/"));
    const char *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
    return (colon && colon + 1 < at) || strstr(host, "password=");
}

/* Takes an option with what follows its '=', or NULL; next is the following argument, or NULL. used: the number of
 * arguments consumed. */
static bool take_argument(const struct option *option, void *values, const char *value, const char *next,
                          int *used, char *error)
{
    *used = 1;
    if (option->kind == OPTION_FLAG) {
        if (value)
            return fail(error, "%s: takes no value", option->name);
        *(bool *)((char *)values + option->member) = true;
        return true;
    }
    if (!value && next && strncmp(next, "--", 2)) {
        value = next;
        *used = 2;
    }
    if (!value)
        return fail(error, "%s: %s is missing", option->name, describe_kind(option));
    if (option->kind == OPTION_DATABASE && has_password(value))
        return fail(error,
                    "%s: everybody on this machine sees a password on the command line; leave it to "
                    "PGPASSFILE or PGPASSWORD",
                    option->name);
    return take(option, values, value, option->name, error);
}

bool options_parse(const struct option *options, void *values, int argc, char **argv,
                   option_environment *environment, struct operands *operands,
                   char error[OPTION_ERROR_CAPACITY])
{
    operands->items = argv + 1;
    operands->count = 0;
    if (options && !take_defaults(options, values, error))
        return false;
    if (options && environment && !take_environment(options, values, argc, argv, environment, error))
        return false;
    bool only_operands = false;
    for (int i = 1; i < argc;) {
        const char *value;
        const struct option *option = find_option(options, argv[i], &value);
        int used = 1;
        bool is_option = !only_operands && argv[i][0] == '-' && argv[i][1];
        if (is_option && !strcmp(argv[i], "--"))
            only_operands = true;
        else if (!is_option)
            operands->items[operands->count++] = argv[i];
        else if (!option)
            return fail_unknown(options, argv[0], argv[i], error);
        else if (!take_argument(option, values, value, i + 1 < argc ? argv[i + 1] : NULL, &used, error))
            return false;
        i += used;
    }
    if (argc > 0)
        operands->items[operands->count] = NULL;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- help -- */

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* Prints words from a column on, wrapped at the right edge; returns the final column. */
static int print_words(const char *text, int column, FILE *out)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH)
            column = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
        if (column > HELP_COLUMN)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        text += length;
        text += strspn(text, " ");
    }
    return column;
}

static void print_option(const struct option *option, bool with_environment, FILE *out)
{
    char note[160], variable[VARIABLE_CAPACITY];
    const char *shown = option->shown ? option->shown : option->fallback;
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    int column = fprintf(out, "  %s%s%s%s", letter, option->name, option->metavar ? " " : "",
                         option->metavar ? option->metavar : "");
    if (column >= HELP_COLUMN - 1) {
        fputc('\n', out);
        column = 0;
    }
    column += fprintf(out, "%*s", HELP_COLUMN - column, "");
    column = print_words(option->help, column, out);
    const char *comma = shown && with_environment ? ", " : "";
    snprintf(note, sizeof note, "[%s%s%s]", shown ? shown : "", comma,
             with_environment ? variable_name(option, variable) : "");
    if (shown || with_environment)
        print_words(note, column, out);
    fputc('\n', out);
}

void options_print(const struct option *options, bool with_environment, FILE *out)
{
    for (const struct option *option = options; option && option->name; option++)
        print_option(option, with_environment, out);
}

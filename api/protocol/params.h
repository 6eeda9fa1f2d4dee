/* The parameters of a query, decoded once and checked against those of the route. */
#ifndef POSED_API_PROTOCOL_PARAMS_H
#define POSED_API_PROTOCOL_PARAMS_H

#include "lib/core/nearest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_PARAMS = 32 };

struct param {
    const char *name, *value; /* UTF-8 without NUL */
};

struct params {
    unsigned count;
    struct param items[MAX_PARAMS];
    char *storage; /* from malloc */
};

/* What is wrong with a parameter: its name and a message. The other fields are "" if they do not apply. */
#define PARAM_NO_MEMORY "no_memory" /* the code of a problem that is not the client's fault */

struct param_error {
    char name[64];
    char detail[400];
    char limit[24];         /* the option that sets the limit */
    char code[24];          /* of the problem, else "bad_parameter" */
    char pointer[100];      /* position in a value that is JSON */
    struct nearest nearest; /* suggestions */
};

/* Percent-decodes "a=b&c"; '+' is a blank. False on bad escapes, NUL, invalid UTF-8, or too many
 * parameters. */
bool params_parse(struct params *params, const char *query, struct param_error *error);
void params_release(struct params *params);
/* False if a parameter is not one of the allowed names (NULL-terminated) or occurs twice. */
bool params_check(const struct params *params, const char *const *allowed, struct param_error *error);

/* The value, or NULL if absent. */
const char *params_get(const struct params *params, const char *name);

/* Typed values: false with error if the text is not of that type; *value keeps its default if the
 * parameter is absent. */
bool params_number(const struct params *params, const char *name, double least, double most, double *value,
                   struct param_error *error);
/* The same for a bound on numbers that answers show as 32-bit floats: rounded to float, so that a number
 * copied from an answer compares equal to itself. */
bool params_bound(const struct params *params, const char *name, double least, double most, double *value,
                  struct param_error *error);
bool params_integer(const struct params *params, const char *name, int64_t least, int64_t most,
                    int64_t *value, struct param_error *error);
/* One of the words (NULL-terminated), as its index. */
bool params_choice(const struct params *params, const char *name, const char *const *words, int *value,
                   struct param_error *error);
bool param_fail(struct param_error *error, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a word that does not exist; nearest holds similar ones. Always returns false. */
bool param_unknown(struct param_error *error, const char *name, const char *what,
                   const struct nearest *nearest);
/* Reports an unknown format id. Always returns false. */
bool param_unknown_format(struct param_error *error, const char *name, const char *format);
/* Reports that memory ran out for the value: reply_parameter answers 503. Always returns false. */
bool param_no_memory(struct param_error *error, const char *name);

/* A finite decimal number and nothing else. */
bool number_parse(const char *text, double *value);

/* Percent-decodes length bytes into text, which has room for them and a NUL. False as for params_parse. */
bool percent_decode(const char *from, size_t length, bool plus_is_blank, char *text);
/* Whether the text is valid UTF-8. */
bool is_utf8(const char *text);
/* Escapes all characters that are not unreserved in a path segment or query value; out needs 3 bytes for
 * each and a NUL. Returns where that is. */
char *percent_encode(const char *text, char *out);

#endif

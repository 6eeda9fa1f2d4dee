/* The parameters of a query, decoded once and checked against what the route takes. */
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

/* What is wrong with a parameter: its name and a line. Each of the others is "" where there is none. */
#define PARAM_NO_MEMORY "no_memory" /* the code of a problem that is none of the client's */

struct param_error {
    char name[64];
    char detail[256];
    char limit[24];         /* the option that refuses it */
    char code[24];          /* of the problem, else "bad_parameter" */
    char pointer[100];      /* where in a value that is JSON */
    struct nearest nearest; /* what may have been meant */
};

/* Percent-decodes "a=b&c"; '+' is a blank. False on bad escapes, NUL, bytes that are not UTF-8, or too many. */
bool params_parse(struct params *params, const char *query, struct param_error *error);
void params_release(struct params *params);
/* False when one is not among the allowed names (ended by NULL) or comes twice. */
bool params_check(const struct params *params, const char *const *allowed, struct param_error *error);

/* The value, NULL when it was not given. */
const char *params_get(const struct params *params, const char *name);

/* Typed values: false (and error) when the text is not of that kind; *value stays at its default when absent. */
bool params_number(const struct params *params, const char *name, double least, double most, double *value,
                   struct param_error *error);
/* The same for a bound on numbers that answers show, which are 32-bit floats: rounded to one, so that a number that was
 * read in an answer lies on itself. */
bool params_bound(const struct params *params, const char *name, double least, double most, double *value,
                  struct param_error *error);
bool params_integer(const struct params *params, const char *name, int64_t least, int64_t most,
                    int64_t *value, struct param_error *error);
/* One of the words (ended by NULL): its index. */
bool params_choice(const struct params *params, const char *name, const char *const *words, int *value,
                   struct param_error *error);
bool param_fail(struct param_error *error, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* There is no such word for it; nearest holds those that are like it. Always false. */
bool param_unknown(struct param_error *error, const char *name, const char *what,
                   const struct nearest *nearest);
/* There is no format of that id. Always false. */
bool param_unknown_format(struct param_error *error, const char *name, const char *format);
/* There is no memory for the value: reply_parameter answers 503. Always false. */
bool param_no_memory(struct param_error *error, const char *name);

/* A finite decimal number and nothing else. */
bool number_parse(const char *text, double *value);

/* Percent-decodes length bytes in place of text, which has room for them and a NUL. False as params_parse. */
bool percent_decode(const char *from, size_t length, bool plus_is_blank, char *text);
/* Whether the text is well-formed UTF-8. */
bool is_utf8(const char *text);
/* Escapes what is not unreserved in a path segment or query value; out has room for 3 bytes each and a NUL. */
void percent_encode(const char *text, char *out);

#endif

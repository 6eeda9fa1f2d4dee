/*
 * The prefix below which everything is served (--base-path), for a site that has other things beside this daemon. Set once,
 * before there are threads.
 */
#ifndef POSED_SERVER_OPS_BASE_PATH_H
#define POSED_SERVER_OPS_BASE_PATH_H

#include <stdbool.h>

enum { BASE_PATH_CAPACITY = 65 }; /* with the NUL */

/* Whether the text may be one: "/poses", "/a/b"; "/" is none. False with the reason in why, which is static. */
bool base_path_is_valid(const char *text, const char **why);
/* Copies a valid text; NULL or "/": no prefix. */
void base_path_set(const char *text);
/* The prefix without a slash at its end, "" if there is none. */
const char *base_path(void);
/* The path behind the prefix: "/v1/clips" of "/poses/v1/clips", "/" of "/poses". A path that does not begin with the prefix
 * is returned as it is: a proxy may have taken it off. */
const char *base_path_strip(const char *path);

#endif

/* api/openapi.json, embedded in the program. */
#ifndef POSED_API_HANDLERS_OPENAPI_H
#define POSED_API_HANDLERS_OPENAPI_H

#include <stddef.h>

extern const char openapi_text[];
extern const char openapi_end[];
#define openapi_size ((size_t)(openapi_end - openapi_text))

#endif

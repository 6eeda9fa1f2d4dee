/* How many bytes of uploads each name holds. Not thread-safe. */
#ifndef POSED_SERVER_ACCESS_QUOTAS_H
#define POSED_SERVER_ACCESS_QUOTAS_H

#include <stdint.h>

struct quotas;

struct quotas *quotas_new(void);
void quotas_free(struct quotas *quotas);
/* Adds bytes of an upload to a name, or takes them off; NULL is nobody's. */
void quotas_add(struct quotas *quotas, const char *name, int64_t bytes);
uint64_t quotas_of(const struct quotas *quotas, const char *name);

#endif

/* POST /v1/convert of an item of POST /v1/poses: several clips together become one file. */
#ifndef POSED_API_HANDLERS_MIXED_CONVERSION_H
#define POSED_API_HANDLERS_MIXED_CONVERSION_H

#include "api/conversion/converted.h"

/* Whether the body is such an item rather than a file. */
bool body_is_mixture(const struct api_call *call);
/* conversion: as read from the query. */
enum api_outcome convert_mixture(struct api_call *call, struct conversion *conversion);

#endif

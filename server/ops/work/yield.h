/*
 * Long work lets the event loops pass. Where both have only one processor, Linux lets a thread that has just run wait until
 * the other one's time is up, which may be as long as that one's work, however low its priority is (EEVDF looks at it anew
 * only when something is woken, or four milliseconds later). So work on the pool offers the processor a few times in each
 * millisecond; where nobody wants it, that costs a thousandth.
 */
#ifndef POSED_SERVER_OPS_WORK_YIELD_H
#define POSED_SERVER_OPS_WORK_YIELD_H

#include "pose.h"

/* From now on the calling thread gives way. Others never do. */
void yield_begin(void);
/* Called often by work. */
void yield_sometimes(void);
/* For libpose where nothing else stops it: gives way, and never stops. */
const struct pose_stop *yield_stop(void);

#endif

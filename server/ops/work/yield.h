/*
 * Long work yields to the event loops. When a pool thread and a loop share a processor, Linux may keep the loop waiting
 * until the pool thread's slice ends, however low that thread's priority: EEVDF reconsiders only on a wakeup or at the
 * next tick, four milliseconds later. So pool threads yield several times per millisecond; when nobody is waiting, that
 * costs about a thousandth of their time.
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

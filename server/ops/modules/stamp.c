/* Linked into every module: which build of the program it fits. */
#include "server/ops/modules/stamp.h"

__attribute__((visibility("default"))) extern const char posed_module_stamp[];

const char posed_module_stamp[] = MODULE_STAMP;

/* What the program around the module gives, and what it may ask for. */
#ifndef POSE_WASM_HOST_H
#define POSE_WASM_HOST_H

#include "pose.h"

/* Whether to give up: the host is asked every few milliseconds. */
#ifdef __wasm__
__attribute__((import_module("env"), import_name("local_ask"))) bool local_ask(void);
#else
bool local_ask(void);
#endif

/* Instead of the index of a skeleton. */
enum {
    LOCAL_AUTO =
        -1, /* its own skeleton, else that of the files or the built-in one that most of its tracks have */
    LOCAL_NONE = -2, /* tracks as they are */
};

#endif

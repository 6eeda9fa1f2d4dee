/*
 * What rows say for servers and programs only. A page looks at files and plays them, and writes nothing but GLB (lib/wasm): its
 * rows are without the rest, so that the linker leaves that out.
 */
#ifndef POSE_FORMATS_PAGES_H
#define POSE_FORMATS_PAGES_H

#include <stddef.h>

#ifdef POSE_FOR_PAGES
#define NOT_IN_PAGES(what) NULL
#else
#define NOT_IN_PAGES(what) what
#endif

#endif

#include "api/handlers/openapi.h"

/* The assembler includes the file; OPENAPI_PATH comes from the build. */
__asm__(".section .rodata\n"
        ".global openapi_text\n"
        ".global openapi_end\n"
        "openapi_text:\n"
        ".incbin \"" OPENAPI_PATH "\"\n"
        "openapi_end:\n"
        ".byte 0\n"
        ".previous\n");

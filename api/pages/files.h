/* The files of the web page, embedded by server/web/build.mjs. */
#ifndef POSED_API_PAGES_FILES_H
#define POSED_API_PAGES_FILES_H

#include "api/protocol/reply.h"

struct web_file {
    const char *name; /* "index.html", "assets/app-0123456789abcdef.js"; NULL ends the table */
    const char *media_type;
    const char *etag, *gzip_etag;             /* including the quotes */
    const unsigned char *packed, *end;        /* gzipped */
    size_t size;                              /* unpacked */
    const unsigned char *brotli, *brotli_end; /* NULL: it is not worth its bytes in the program */
};

extern const struct web_file web_files[];

/* NULL if there is no such file: the program may be built without the web page. */
const struct web_file *web_file_find(const char *name);
/* The unpacked bytes, which must be freed; empty if out of memory. */
struct pose_buffer web_file_unpack(const struct web_file *file);

/* Content-Security-Policy of a document. frame_ancestors: sites that may embed it. */
#define PAGE_POLICY(styles, frame_ancestors)                                                                 \
    "default-src 'none'; script-src 'self'; style-src 'self'" styles                                         \
    "; img-src 'self' data: blob:; connect-src 'self' blob:; base-uri 'none'; form-action 'none'; "          \
    "frame-ancestors " frame_ancestors
void page_headers(struct api_response *response, const char *policy);

enum api_outcome reply_no_page(struct api_call *call);

#endif

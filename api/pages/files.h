/* The files of the web page, as server/web/build.mjs has put them into the program. */
#ifndef POSED_API_PAGES_FILES_H
#define POSED_API_PAGES_FILES_H

#include "api/protocol/reply.h"

struct web_file {
    const char *name; /* "index.html", "assets/app-0123456789abcdef.js"; NULL ends the table */
    const char *media_type;
    const char *etag, *gzip_etag;      /* with their quotes */
    const unsigned char *packed, *end; /* gzipped */
    size_t size;                       /* unpacked */
};

extern const struct web_file web_files[];

/* NULL when there is none of that name: the program may have been built without its page. */
const struct web_file *web_file_find(const char *name);
/* The file's bytes, to be freed; empty when there is no memory. */
struct pose_buffer web_file_unpack(const struct web_file *file);

/* Content-Security-Policy of a document. frame_ancestors: who may show it in a frame. */
#define PAGE_POLICY(styles, frame_ancestors)                                                                 \
    "default-src 'none'; script-src 'self'; style-src 'self'" styles                                         \
    "; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "                \
    "frame-ancestors " frame_ancestors
void page_headers(struct api_response *response, const char *policy);

enum api_outcome reply_no_page(struct api_call *call);

#endif

/* The files of the web page, as server/web/build.mjs has put them into the program. */
#ifndef POSED_API_HANDLERS_PAGES_H
#define POSED_API_HANDLERS_PAGES_H

#include <stddef.h>

struct web_file {
    const char *name; /* "index.html", "assets/app-0123456789abcdef.js"; NULL ends the table */
    const char *media_type;
    const char *etag, *gzip_etag;      /* with their quotes */
    const unsigned char *packed, *end; /* gzipped */
    size_t size;                       /* unpacked */
};

extern const struct web_file web_files[];

#endif

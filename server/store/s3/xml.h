/* The few XML documents of the protocol. They come from outside: sizes are bounded, and a DOCTYPE is refused. */
#ifndef POSED_SERVER_STORE_S3_XML_H
#define POSED_SERVER_STORE_S3_XML_H

#include "server/store/s3/client.h"

enum { S3_MAX_XML = 8 << 20, S3_TEXT = 1100 }; /* a key has 1024 bytes at most */

struct s3_page {
    struct s3_object *objects; /* keys from malloc */
    size_t count, capacity;
    bool is_truncated;
    char next[S3_TEXT]; /* the continuation token */
};

/* False if the text is no such document. */
bool s3_parse_list(const char *text, size_t size, struct s3_page *page);
void s3_page_release(struct s3_page *page);

/* The text of the first element of that name, whose document's root is called root. */
bool s3_parse_text(const char *text, size_t size, const char *root, const char *name, char found[S3_TEXT]);

#endif

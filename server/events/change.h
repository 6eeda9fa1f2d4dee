/* What happened to an upload, as those hear of it who want to: webhooks and readers of /v1/changes. */
#ifndef POSED_SERVER_EVENTS_CHANGE_H
#define POSED_SERVER_EVENTS_CHANGE_H

#include "lib/core/bytes/json_writer.h"
#include "server/access/tokens.h"
#include "server/store/ids.h"

enum change_kind { CHANGE_UPLOAD, CHANGE_PUBLISH, CHANGE_DELETE, CHANGE_KINDS };

enum { CHANGE_TEXT = 512 };

struct change {
    uint64_t
        number; /* nanoseconds since 1970 when it happened; each is greater than the one before, also of earlier runs */
    enum change_kind kind;
    struct asset_id archive;
    bool is_waiting; /* after it; of a deleted one, before */
    uint64_t bytes;
    char format[32];
    char name[CHANGE_TEXT]; /* of the archive; UTF-8 */
    char uploader[TOKEN_NAME];
    char by[TOKEN_NAME];      /* the name of the token that did it */
    char reason[CHANGE_TEXT]; /* of a deletion; "": none was given */
};

/* Copies a text (NULL: none), cut between two characters. */
void change_set_text(char *to, size_t capacity, const char *text);
/* Writes its members into an open object, the archive's id under that key. with_people: also who did it, and why. */
void change_members(struct json_writer *json, const struct change *change, const char *key, bool with_people);

#endif

/* What a request's body brings: the bytes of one file, or the files of a form. */
#ifndef POSED_API_PROTOCOL_BODY_FILES_H
#define POSED_API_PROTOCOL_BODY_FILES_H

#include "api/protocol/call.h"
#include "server/uploads/uploads.h"

struct body_files {
    struct upload upload; /* its texts live as long as this */
    struct parts parts;
    char *name; /* from malloc */
    struct draft *spooled;
};

/*
 * Reads body, name, format and game. A form with one file is that file. False when there is an answer already: a
 * body that is empty or no form, a format that there is not.
 */
bool body_files_read(struct api_call *call, struct body_files *files);
/* What index_upload takes, valid as long as this; the files of a form are put into one for it. False when there is an
 * answer already. */
bool body_files_source(struct api_call *call, struct body_files *files, struct upload_source *source);
void body_files_release(struct body_files *files);

#endif

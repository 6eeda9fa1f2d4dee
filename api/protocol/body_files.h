/* The contents of a request body: the bytes of one file, or the files of a form. */
#ifndef POSED_API_PROTOCOL_BODY_FILES_H
#define POSED_API_PROTOCOL_BODY_FILES_H

#include "api/protocol/call.h"
#include "server/uploads/uploads.h"

struct body_files {
    struct upload upload; /* its strings live as long as this struct */
    struct parts parts;
    char *name; /* from malloc */
    struct draft *spooled;
};

/*
 * Reads body, name, format and game. A form with one file is treated as that file. False if the response is
 * already an error: an empty body, an invalid form, an unknown format or game.
 */
bool body_files_read(struct api_call *call, struct body_files *files);
/* The source for index_upload, valid as long as this struct; the files of a form are packed into an
 * archive. False if the response is already an error. */
bool body_files_source(struct api_call *call, struct body_files *files, struct upload_source *source);
void body_files_release(struct body_files *files);

#endif

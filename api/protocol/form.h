/* A form too large for memory: parsed while it arrives, its files go to a draft (parts_spool.h). */
#ifndef POSED_API_PROTOCOL_FORM_H
#define POSED_API_PROTOCOL_FORM_H

#include "api/protocol/multipart.h"
#include "server/uploads/parts_spool.h"

struct form {
    struct multipart parser;
    struct parts_spool spool;
};

/* Borrows the draft. NULL if out of memory. What is wrong with a form is known after form_finish. */
struct form *form_new(const char *content_type, uint32_t max_files, struct draft *draft);
/* False if the bytes cannot be written: see spool.error. */
bool form_add(struct form *form, const void *data, size_t size);
/* Call it on the pool, when all bytes are there. Then form->spool.parts are the files, sorted. False with the
 * error; status POSE_OK: see spool.error. */
bool form_finish(struct form *form, struct pose_error *error);
/* NULL is allowed. */
void form_free(struct form *form);

#endif

#include "api/protocol/form.h"

#include <stdlib.h>

static bool begin(void *user, const char *name, uint64_t offset)
{
    (void)offset;
    return parts_spool_begin(user, name);
}

static bool add(void *user, const uint8_t *data, size_t size)
{
    return parts_spool_add(user, data, size);
}

static bool end(void *user, uint64_t size)
{
    (void)size;
    return parts_spool_end(user);
}

struct form *form_new(const char *content_type, uint32_t max_files, struct draft *draft)
{
    struct form *form = malloc(sizeof *form);
    if (!form)
        return NULL;
    parts_spool_init(&form->spool, draft);
    const struct multipart_sink sink = {&form->spool, begin, add, end};
    multipart_begin(&form->parser, content_type, max_files, &sink);
    return form;
}

bool form_add(struct form *form, const void *data, size_t size)
{
    /* The rest of a form with an error is dropped, as an answer comes after it. */
    return multipart_push(&form->parser, data, size) || form->parser.error.status;
}

bool form_finish(struct form *form, struct pose_error *error)
{
    if (!multipart_end(&form->parser)) {
        *error = form->parser.error;
        return false;
    }
    pose_error_init(error);
    return parts_spool_finish(&form->spool);
}

void form_free(struct form *form)
{
    if (!form)
        return;
    multipart_release(&form->parser);
    parts_spool_release(&form->spool);
    free(form);
}

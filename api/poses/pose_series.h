/* Many poses of one clip: the answer, which is written at once if small and streamed otherwise. */
#ifndef POSED_API_POSES_POSE_SERIES_H
#define POSED_API_POSES_POSE_SERIES_H

#include "api/poses/times.h"

/*
 * SERIES_F16: the same as SERIES_F32 in half floats. SERIES_SNORM16: in 16-bit fixed point, of local space only: each of
 * translation, rotation and scale is -32767 to 32767 of its range, which a header names. Those from SERIES_F32 on are not
 * text.
 */
enum series_form { SERIES_JSON, SERIES_NDJSON, SERIES_F32, SERIES_POSED, SERIES_F16, SERIES_SNORM16 };
/* Their names as values of as=, in that order; ends with NULL. */
extern const char *const series_forms[];

/* Whether an answer in that form can be given; false with the wrong parameter in error. */
bool series_holds(const struct pose_request *request, enum series_form form, struct param_error *error);

/* Posed-Frames, Posed-Joints and, unless 0, Posed-Fps. */
void series_headers(struct api_call *call, size_t frames, uint32_t joints, double fps);

/* Poses made elsewhere, on the joints of a request's player; the answer then names no clip. */
struct series_source {
    void *owner;
    /* Local rows [row_count of the sampler][10] and morphs [morph_count] at t, in the axes of the request. */
    void (*sample)(void *owner, double t, float *rows, float *morphs);
    /* Writes further members of a pose; NULL: none. */
    void (*put)(void *owner, const struct pose_request *request, double t, struct json_writer *json);
    void (*free)(void *owner);
    const bool *driven; /* [row_count of the sampler], owned by the owner */
    uint32_t morph_count;
    const char *const *morphs; /* their names, static */
    const struct pose_warning *warnings;
    uint32_t warning_count;
};

/* Both take over the open request and the source, which is NULL for the poses of the request's own clip. */

/* Writes the complete JSON answer to out; false if out of memory. */
bool series_text(struct pose_request *request, const struct series_source *source, const struct times *times,
                 struct pose_buffer *out);
enum api_outcome series_reply(struct api_call *call, struct pose_request *request,
                              const struct series_source *source, const struct times *times,
                              enum series_form form);

#endif

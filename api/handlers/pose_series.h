/* Many poses of one clip: their times, and the answer, written whole while it is small and streamed when it is not. */
#ifndef POSED_API_HANDLERS_POSE_SERIES_H
#define POSED_API_HANDLERS_POSE_SERIES_H

#include "api/handlers/pose_request.h"

enum series_form { SERIES_JSON, SERIES_NDJSON, SERIES_F32, SERIES_POSED };

struct times {
    double *items;
    size_t count;
    double fps; /* 0: a list of times was given */
};

/* From t=, or fps=, from=, to=, end=. False with the parameter that is wrong. */
bool times_read(const struct api_call *call, const struct pose_request *request, struct times *times,
                struct param_error *error);
void times_release(struct times *times);

/* Posed-Frames, Posed-Joints and, unless 0, Posed-Fps. */
void series_headers(struct api_call *call, size_t frames, uint32_t joints, double fps);

/* The answer as JSON into out, whole. Takes over the open request. */
void series_text(struct pose_request *request, const struct times *times, struct pose_buffer *out);
/*
 * The same of one pose that was made elsewhere: rows [row_count of the sampler][10], local; driven [the same] in place
 * of what the sampler says. The answer is of no clip.
 */
void series_text_of(struct pose_request *request, double t, const float *rows, const bool *driven,
                    struct pose_buffer *out);

/* Takes over the open request. */
enum api_outcome series_reply(struct api_call *call, struct pose_request *request, const struct times *times,
                              enum series_form form);

#endif

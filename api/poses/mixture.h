/*
 * Several clips on the joints of one skeleton: layers with weights, a cross-fade from clip to clip, or animations
 * that a game's own mixer plays. All are read from an item of a JSON body and sampled at any time of the scene.
 */
#ifndef POSED_API_POSES_MIXTURE_H
#define POSED_API_POSES_MIXTURE_H

#include "api/poses/item.h"

enum { MIXTURE_LAYERS = 16, MIXTURE_MOMENTS = 4 * MIXTURE_LAYERS };

/* Scene times are at most this. */
#define MIXTURE_LATEST 1e6

enum mixing { MIX_WEIGHTS, MIX_CROSSFADE, MIX_PLAYED };

struct mixture_layer {
    struct pose_request request; /* its clip's, with its own joints selected */
    const struct player *player; /* of the request */
    double duration;             /* of the clip */
    double begin;                /* the scene's time at which the clip is at 0 */
    float weight;
    double at,
        fade; /* of a cross-fade: the scene's time at which the clip begins, seconds until it has all weight */
    bool additive;
    float *reference; /* additive: [row_count][10], what its difference is from */
    float *factors;   /* [row_count] 1 on the joints that it takes part in, else 0 */
    float *rows;      /* [row_count][10], of the last sampling */
};

struct mixture {
    enum mixing mixing;
    bool explains;
    unsigned count;
    struct mixture_layer layers[MIXTURE_LAYERS];
    struct pose_request request; /* of the answer: the first layer's, with the item's joints selected */
    const struct player *player; /* of the first layer: gives skeleton and rows */
    enum pose_axes axes;         /* of the rows */
    uint32_t row_count;
    float *rest;  /* [row_count][10] */
    bool *driven; /* [row_count] */
    /* Of MIX_PLAYED: */
    struct pose_sl_mix *played;
    void *scratch;
    uint32_t morph_count;
    const char *morphs[POSE_SL_MORPHS];
    uint32_t warning_count;
    struct pose_warning warnings[1];
};

/* Reads an item with "layers" or "crossfade", and opens its clips. NULL with the problem in item->call. */
struct mixture *mixture_open(struct item *item);
void mixture_free(struct mixture *mixture);
/* Reads "t", or "fps", "from", "to" and "end". whole: without any of them all of the mixture is meant, at 30 frames
 * a second. False with the problem in item->call; times must be released in either case. */
bool mixture_times(struct item *item, struct mixture *mixture, bool whole, struct times *times);

/* The local pose at t: rows [row_count][10] in the mixture's axes, morphs [morph_count] or NULL. */
void mixture_sample(struct mixture *mixture, double t, float *rows, float *morphs);
/* The times between which all weights change smoothly, ascending; returns their count. */
uint32_t mixture_moments(const struct mixture *mixture, double moments[MIXTURE_MOMENTS]);

/* The mixture as the source of a series, which takes it over; *request is the series' request. */
struct series_source mixture_source(struct mixture *mixture, struct pose_request *request);

/* layers.c: layers with weights, and cross-fades. */
bool layers_open(struct item *item, struct mixture *mixture, const json_t *list);
void layers_sample(struct mixture *mixture, double t, float *rows);
/* The weight of a layer at t: of a cross-fade what the clips after it leave. */
double layers_weight(const struct mixture *mixture, unsigned index, double t);

/* played.c: animations as the viewer of their game plays them. */
bool played_open(struct item *item, struct mixture *mixture, const json_t *layers);
void played_morphs(const struct mixture *mixture, double t, float *morphs);
void played_list(const struct mixture *mixture, double t, struct json_writer *json);
void played_explain(const struct mixture *mixture, double t, const struct pose_request *request,
                    struct json_writer *json);

/* For both ways of reading layers: opens the clip of one, all but the first on the skeleton of the first. where: of the
 * layer. False with the problem in item->call. */
bool mixture_open_layer(struct item *item, struct mixture *mixture, const json_t *object, const char *where);
/* Allocates what the rows need, once all layers are open. */
bool mixture_open_rows(struct item *item, struct mixture *mixture);

#endif

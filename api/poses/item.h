/* An item of a JSON body that asks for poses: its members are read like the parameters of GET …/poses, and what is
 * wrong with one is answered with its JSON pointer. */
#ifndef POSED_API_POSES_ITEM_H
#define POSED_API_POSES_ITEM_H

#include "api/poses/pose_series.h"

#include <jansson.h>

enum {
    ITEM_BODY = 1 << 20,    /* bytes of JSON: the parsed tree is about twenty times as large */
    ITEM_ROWS = 500 * 1000, /* joints x times x layers of all items of a body: about 60 MB of text */
    ITEM_TEXTS = 16,
    ITEM_POINTER = 64,
};

/* Totals over all items of a body. */
struct item_budget {
    uint64_t rows, frames;
};

struct item {
    struct api_call call; /* its own, so that an error concerns only this item */
    const json_t *json;
    struct item_budget *budget;
    char pointer[ITEM_POINTER]; /* of the item in the body, "" for the body itself */
    char part[ITEM_POINTER];    /* of the layer being read */
    unsigned text_count;
    char *texts[ITEM_TEXTS]; /* made from members, from malloc */
};

/* retarget and its parameters: texts, numbers, and maps as objects. */
#define ITEM_RETARGETING                                                                                     \
    "retarget", "strict", "onto", "map", "map_onto", "ik", "travel", "heading", "tolerance"

/* The answers to the item go to response. Must be released. */
void item_begin(struct item *item, const struct api_call *call, struct api_response *response,
                const json_t *json, const char *pointer, struct item_budget *budget);
void item_release(struct item *item);

/* Parses a body of at most ITEM_BODY bytes; NULL with the answer in call. */
json_t *item_body(struct api_call *call);
/* 400 about the body as a whole. */
enum api_outcome item_bad_body(struct api_call *call, const char *pointer, uint64_t offset,
                               const char *detail);

/* Each of the following returns false, or NULL, with the problem in item->call. */

/* 400; where is a pointer below the item, without its first slash; "": the item itself. */
bool item_refuse(struct item *item, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool item_refuse_memory(struct item *item);
/* where: of the object, as for item_refuse. known ends with NULL. */
bool item_check_members(struct item *item, const json_t *object, const char *where, const char *const *known);
/* Adds a text member as the parameter of that name, if present. */
bool item_take_text(struct item *item, const json_t *object, const char *where, const char *name);
/* The same for a number. */
bool item_take_number(struct item *item, const char *name);
bool item_take_retargeting(struct item *item);
/* "joints":["a","b"] as the parameter of that name, if present; where: of the object. */
bool item_take_joints(struct item *item, const json_t *object, const char *where);
/* A number within the range; *value stays if there is no such member. */
bool item_read_number(struct item *item, const json_t *object, const char *where, const char *name,
                      double least, double most, double *value);
/* One of the words (ending with NULL) as its index; *value stays if there is no such member. */
bool item_read_word(struct item *item, const char *name, const char *const *words, int *value);
bool item_read_flag(struct item *item, const json_t *object, const char *where, const char *name,
                    bool *value);
/* "t", a time or a list of times in the range: allocates times, to be released in either case. */
bool item_read_times(struct item *item, double least, double most, struct times *times);
/* The object's "clip", as its "archive" has it. */
struct catalog_item *item_find_clip(struct item *item, const json_t *object, const char *where);
/* Adds an answer of text to the total of the body. */
bool item_spend(struct item *item, uint64_t frames, uint64_t joints);
/* The same for frames only: an answer that is streamed. */
bool item_spend_frames(struct item *item, uint64_t frames);

#endif

/*
 * Props and moments as trees for extras, and back: a prop is {key: value}, or a list of such objects if it does
 * not have exactly one pair, so that repeated keys and their order survive any JSON parser; a moment is
 * {"time_ms": 500, "props": [prop, …]}. Input may have been edited: values of any other shape are ignored;
 * objects with several pairs are accepted.
 */
#ifndef POSE_FORMATS_SIMS_PROPS_H
#define POSE_FORMATS_SIMS_PROPS_H

#include "lib/core/value.h"
#include "lib/formats/sims/records.h"

/* One list: [prop, …]. */
void sims_put_props(struct value_list *object, const char *key, const struct sims_props *props);
/* Several: [[prop, …], …]. */
void sims_put_props_lists(struct value_list *object, const char *key, const struct sims_props *lists,
                          uint32_t count);
/* [[moment, …], …]. */
void sims_put_moments_lists(struct value_list *object, const char *key, const struct sims_moments *lists,
                            uint32_t count);

struct sims_props sims_get_props(struct arena *arena, const struct pose_value *array);
/* The lists, *count of them; NULL (and 0) if array is not an array. */
struct sims_props *sims_get_props_lists(struct arena *arena, const struct pose_value *array, uint32_t *count);
struct sims_moments *sims_get_moments_lists(struct arena *arena, const struct pose_value *array,
                                            uint32_t *count);

/* A scalar as text: a string unchanged, a number in its shortest form; "" for anything else, including NULL. */
const char *sims_text_of(struct arena *arena, const struct pose_value *value);

#endif

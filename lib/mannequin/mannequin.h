/*
 * A neutral figure of our own, laid onto any skeleton that is a person's. Its form is modelled once, when the library
 * is built (make/), and stretched here to the length of each bone.
 */
#ifndef POSE_MANNEQUIN_MANNEQUIN_H
#define POSE_MANNEQUIN_MANNEQUIN_H

#include "lib/mannequin/bones.h"

#include "pose.h"

/* Written by make-mannequin. */
extern const struct mannequin_vertex mannequin_vertices[];
extern const uint32_t mannequin_faces[][3];
extern const uint32_t mannequin_vertex_count, mannequin_face_count;

/* As pose_mannequin. */
struct pose_document *mannequin_new(const struct pose_humanoid *humanoid, const struct pose_options *options,
                                    struct pose_error *error);

#endif

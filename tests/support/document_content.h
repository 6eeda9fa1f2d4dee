/* All that a document holds, to be written again. It lends its parts from the document. */
#ifndef TESTS_SUPPORT_DOCUMENT_CONTENT_H
#define TESTS_SUPPORT_DOCUMENT_CONTENT_H

#include "pose.h"

static inline struct pose_content document_content(const struct pose_document *document)
{
    return (struct pose_content){.clip_count = document->clip_count,
                                 .skeleton_count = document->skeleton_count,
                                 .mesh_count = document->mesh_count,
                                 .character_count = document->character_count,
                                 .clips = document->clips,
                                 .skeletons = document->skeletons,
                                 .meshes = document->meshes,
                                 .characters = document->characters,
                                 .event_count = document->event_count,
                                 .events = document->events,
                                 .extras = document->extras,
                                 .image_count = document->image_count,
                                 .images = document->images};
}

#endif

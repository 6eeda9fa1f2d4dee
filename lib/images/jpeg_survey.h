/* What a JPEG's segments say, read before stb_image is given the file. */
#ifndef POSE_IMAGES_JPEG_SURVEY_H
#define POSE_IMAGES_JPEG_SURVEY_H

#include "pose.h"

/*
 * Counts the scans of a JPEG, found as stb_image finds them, in time linear in the bytes. Returns false if a segment is
 * one that stb_image must not or does not read: a Huffman table of more than 256 codes (before 2.28 it writes beyond
 * the room for them; Debian 12 has 2.27), one that says it is shorter than it is, or a sequential scan of components that have
 * had theirs, so that such a picture is decoded once.
 */
bool jpeg_survey(struct pose_bytes bytes, uint32_t *scans);

#endif

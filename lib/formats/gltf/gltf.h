/*
 * glTF 2.0: gltf.c is the codec, read.h lists the parts of the reader, write/ has the writer.
 *
 * Data that glTF cannot represent is in the `extras` of each animation, in one object `posed`: enough to restore
 * the game's file with every key. Lengths there are in the file's unit, rotations [x, y, z, w] as stored, times in
 * seconds.
 *
 *   "posed": {
 *     "version": 1,
 *     "format": "sl-anim" | null         the format of the extras (pose_clip.origin, else guessed from rules)
 *     "game": "mp1" | null, "companion": "xskill-a.cfp" | null
 *     "name": "walk" | null              pose_clip.name; if null, the animation's own name is "" or made up
 *     "axes": "gltf" | "sl" | "sims" | "prime" | "inches" | "z_up"
 *     "rules": "plain" | "sl" | "sims" | "sims3" | "prime" | "prime_frames"
 *     "interpolation": "nlerp" | "slerp"                             informative; rules are exact
 *     "duration": S, "fps": N | null, "frame_count": N | null, "loop": true | false | null, "loop_in": S,
 *         "loop_out": S
 *     "resampled": FPS                   only if the keys are not the original ones
 *     "skeleton": NAME | "" | null       null: the nodes are the clip's tracks; else a skeleton's joints
 *     "root": {"joint": I, "node": N, "rest": [x, y, z]}
 *                                        only if the skeleton's rest was added to joints[I]'s translation keys
 *                                        (Second Life's pelvis): the stored key is the animation's, converted back
 *                                        to the native axes, minus rest (also native)
 *     "joints": [JOINT, ...]             all of the clip's tracks, in file order
 *     "timelines": [[S, ...], ...]       key times that parts refer to
 *     "events": [{"time": S, "type": T, FIELD...}, ...], "extras": {...}              as in the clip JSON
 *   }
 *
 *   JOINT: {"name": NAME | null, "id": N | null, "node": N, "called": NODE_NAME, PART..., "extras": {...}}
 *     node      the index of the glTF node that holds the track (valid only if that node has the name that the
 *               track would have, otherwise search by name); absent if there is no node
 *     called    the node's name if it differs from the track's: a skeleton's for an id or an alias
 *     extras    the track's extras, if any
 *   PART: "translation" | "rotation" | "scale" | "morph", one for each channel that the track drives:
 *     {"times": [...], "values": [[...], ...]}   the keys themselves, native, as in the clip JSON (a morph: [v]),
 *                      if no channel of the animation is identical (a track without a node, or overridden by
 *                      another one, a morph, Prime's root, a scale that glTF would inherit). These take precedence,
 *                      for a morph also over the channel of weights that plays it.
 *     {"timeline": I}  all keys are equal, at timelines[I]: their value is that of the animation's channel (one
 *                      key, or two equal ones), or the node's own translation, rotation or scale if there is no
 *                      such channel
 *     {"count": N, "added": [K, ...]}   the animation's channel has N keys; those with these indices (ascending)
 *                      were added and must be removed, unless the number of keys is no longer N
 *     {"count": N}     the animation's channel holds exactly the file's N keys
 *     {}               the animation's channel was resampled (see "resampled")
 *   If a channel's number of keys differs from the record, it was edited: then all keys of the animation count.
 *   Times in the animation are the file's (key k of The Sims at k * duration / count), values in glTF's axes and
 *   metres, rotations normalised, in the hemisphere of the previous key. Keys are added where the engine
 *   interpolates differently, and at the end of the clip to the channel that ends last, if that is earlier.
 *
 * `extras` of the file itself: "posed": {"clips": [...]} with such an object for each clip without keys, which
 * cannot be an animation.
 *
 * `extras` of the scene: "posed": {"skeleton": ..., "scaling": "offsets" | "inherited"} if there is a skeleton.
 * A blended vertex of The Sims has two places, each in the space of its bone, which need not meet in the rest pose.
 * POSITION is where it is at rest, and the attribute "_POSITION_2" (VEC4) where its copy is, with the index of the
 * copy's joint in the skin, -1 if there is none. Without it, or if the two are more than 10 cm apart, both are taken
 * to be at POSITION.
 * A joint's node may have a child of the same name plus ".scale", which carries the scale that its other children
 * must not inherit (POSE_SCALE_OFFSETS); skin.joints[i] is the node that vertices of row i are bound to.
 * If there are several roots, a node above them all has the extras "posed": {"frame": true}; it is not a joint.
 * No two nodes have one name, also not as three.js spells names: of equal ones, and of what three.js spells as nothing,
 * the later get "_1", "_2" ..., joints first. Extras "posed": {"name": NAME, "called": NODE_NAME} tell the name, which
 * counts while the node is still called so. Unnamed joints are named "joint_ID" (decimal), without an id "joint_INDEX".
 * Of a skeleton of several figures a joint's node has the extras "posed": {"figure": N}. The skin here has all joints;
 * those that were in a skin of the file that the skeleton is from have "posed": {"in_skin": true}.
 */
#ifndef POSE_FORMATS_GLTF_GLTF_H
#define POSE_FORMATS_GLTF_GLTF_H

#include "lib/formats/codec.h"

/*
 * Writes clips (any number), a skeleton or none, and meshes on it. Settings: "container": "glb" (default) or
 * "gltf" (JSON, buffers as data URIs); "bones": "mesh" (default; omitted if there are visible meshes) or "none";
 * "fps": samples per second in place of the original keys.
 */
bool gltf_encode(struct encode_job *job);

#endif

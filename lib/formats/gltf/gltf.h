/*
 * glTF 2.0, the parts of its codec: gltf.c (the codec), gltf_read*.c, gltf_write*.c.
 *
 * What glTF has no place for lies in the `extras` of each animation, in one object `posed`: enough to write the game's
 * file back with every key. Lengths there are the file's own, rotations [x, y, z, w] as stored, times seconds.
 *
 *   "posed": {
 *     "version": 1,
 *     "format": "sl-anim" | null         whose extras these are (pose_clip.origin, else guessed from the rules)
 *     "game": "mp1" | null, "companion": "xskill-a.cfp" | null
 *     "name": "walk" | null              pose_clip.name; the animation's own name is "" or made up when it is null
 *     "axes": "gltf" | "sl" | "sims" | "prime" | "inches" | "z_up"
 *     "rules": "plain" | "sl" | "sims" | "sims3" | "prime" | "prime_frames"
 *     "interpolation": "nlerp" | "slerp"                             for people; rules say it exactly
 *     "duration": S, "fps": N | null, "frame_count": N | null, "loop": true | false | null, "loop_in": S, "loop_out": S
 *     "resampled": FPS                   only there when the keys are not the original ones
 *     "skeleton": NAME | "" | null       null: the nodes are the clip's tracks; else those of a skeleton
 *     "root": {"joint": I, "node": N, "rest": [x, y, z]}
 *                                        only there when joints[I]'s translation keys had the skeleton's rest added
 *                                        (Second Life's pelvis): the stored key is the animation's, brought back to
 *                                        the native axes, minus rest (native too)
 *     "joints": [JOINT, ...]             the clip's tracks, in file order, none left out
 *     "timelines": [[S, ...], ...]       key times that parts refer to
 *     "events": [{"time": S, "type": T, FIELD...}, ...], "extras": {...}              as in the clip JSON
 *   }
 *
 *   JOINT: {"name": NAME | null, "id": N | null, "node": N, "called": NODE_NAME, PART..., "extras": {...}}
 *     node      the glTF node that holds the track (by index; trust it only when that node's name is the one that the
 *               track would have, else look for the name); not there when no node does
 *     called    what the node is called, only there when it is not the track's name: a skeleton's for an id or an alias
 *     extras    of the track, only there when there are any
 *   PART: "translation" | "rotation" | "scale" | "morph", one for each channel that the track drives, and none else:
 *     {"times": [...], "values": [[...], ...]}   the keys themselves, native, as in the clip JSON (a morph: [v]): no
 *                      channel of the animation is exactly this (a track that no node has, or that loses against
 *                      another one, a morph, Prime's root, a scale that glTF would inherit). These win.
 *     {"timeline": I}  all keys are alike, at timelines[I]: their value is that of the animation's channel (one key, or
 *                      two that are alike), or the node's own translation, rotation or scale when it has no such channel
 *     {"count": N, "added": [K, ...]}   the animation's channel has N keys, those of these indices (ascending) are not
 *                      of the file: take them out, unless there are not N keys any more
 *     {"count": N}     the animation's channel holds the file's N keys and no other
 *     {}               the animation's channel was sampled anew (see "resampled")
 *   A part whose channel has another number of keys than said was edited: all that the animation holds is the keys.
 *   Times in the animation are the file's (key k of The Sims at k * duration / count), values in glTF's axes and metres,
 *   rotations at unit length, brought to the hemisphere of the key before. Keys are added where the engine's way is not
 *   glTF's, and at the end of the clip to the channel that ends last, if that is earlier.
 *
 * `extras` of the file itself: "posed": {"clips": [...]} when there are clips without keys, which are no animations: such
 * an object for each.
 *
 * `extras` of the scene: "posed": {"skeleton": ..., "scaling": "offsets" | "inherited"} when there is a skeleton.
 * A joint's node may be followed by a node of the same name plus ".scale", its child, which carries the scale that its
 * other children must not inherit (POSE_SCALE_OFFSETS); skin.joints[i] is the node that vertices of row i hang on.
 * Where there are several roots, a node above them all has the extras "posed": {"frame": true}; it is no joint.
 * Nodes have the names of the pose, also where two joints share one: glTF binds animations and skins by node index, and its
 * names need not be unique. Unnamed joints are called "joint_ID" (decimal), without an id "joint_INDEX".
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

#include "tests/golden/dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes_names[] = {"gltf", "sl", "sims", "prime", "inches", "z_up"};
static const char *const rules_names[] = {"plain", "sl", "sims", "sims3", "prime", "prime_frames"};
static const char *const loop_names[] = {"unknown", "no", "yes"};
static const char *const part_names[] = {"translation", "rotation", "scale", "morph"};
static const unsigned part_sizes[] = {3, 4, 3, 1};

/* A joint or track may lack a name; then its number stands for it. */
static void put_name(FILE *out, const char *name, bool has_id, uint32_t id)
{
    if (name)
        fputs(*name ? name : "\"\"", out);
    if (has_id)
        fprintf(out, "%s#%u", name ? " " : "", id);
    if (!name && !has_id)
        fputs("-", out);
}

/* Five decimals, and no sign on what is nothing. */
static void put_floats(FILE *out, const float *numbers, unsigned count)
{
    fputs(" [", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%.5f", i ? " " : "", fabs((double)numbers[i]) < 5e-6 ? 0 : (double)numbers[i]);
    fputs("]", out);
}

static void put_value(FILE *out, const char *title, const struct pose_value *value)
{
    struct pose_buffer text = {0};
    if (value && pose_json_value(&text, value))
        fprintf(out, "%s %.*s\n", title, (int)text.size, (const char *)text.data);
    pose_buffer_free(&text);
}

static void put_warnings(FILE *out, const struct pose_warning *warnings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "warning %s: %s\n", warnings[i].code, warnings[i].message);
}

static void put_events(FILE *out, const struct pose_event *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "event %.5f %s", (double)events[i].time, events[i].type);
        put_value(out, "", events[i].fields);
        if (!events[i].fields)
            fputc('\n', out);
    }
}

/* ------------------------------------------------------------------------------------------------- clips -- */

static void put_channel(FILE *out, int part, const struct pose_channel *channel)
{
    if (!channel->count)
        return;
    uint32_t last = channel->count - 1;
    fprintf(out, "  %s %u keys, %.5f:", part_names[part], channel->count, (double)channel->times[0]);
    put_floats(out, channel->values, part_sizes[part]);
    fprintf(out, " ... %.5f:", (double)channel->times[last]);
    put_floats(out, channel->values + (size_t)last * part_sizes[part], part_sizes[part]);
    fputc('\n', out);
}

static void put_track(FILE *out, uint32_t index, const struct pose_track *track)
{
    fprintf(out, "track %u ", index);
    put_name(out, track->name, track->has_id, track->id);
    fputc('\n', out);
    for (int part = 0; part < POSE_PART_COUNT; part++)
        put_channel(out, part, &track->channels[part]);
    put_value(out, "  extras", track->extras);
}

static void put_pose(FILE *out, const struct pose_sampler *sampler, const char *title, double t,
                     enum pose_wrap wrap)
{
    uint32_t count = pose_sampler_row_count(sampler), morph_count = pose_sampler_morph_count(sampler);
    const struct pose_row *rows = pose_sampler_rows(sampler);
    float *values = calloc((size_t)count * 10 + morph_count + 1, sizeof *values);
    if (!values)
        abort();
    float *morphs = values + (size_t)count * 10;
    pose_sample(sampler, t, wrap, POSE_IN_PLACE, values, morphs);
    fprintf(out, "pose %s t %.5f %s\n", title, t, wrap == POSE_WRAP ? "loop" : "clamp");
    for (uint32_t i = 0; i < count; i++) {
        if (!rows[i].driven)
            continue; /* a skeleton has many; what it gives them is in its own text */
        fputs("  ", out);
        put_name(out, rows[i].name, rows[i].has_id, rows[i].id);
        put_floats(out, values + 10 * (size_t)i, 3);
        put_floats(out, values + 10 * (size_t)i + 3, 4);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < morph_count; i++)
        fprintf(out, "  morph %u %.5f\n", i, (double)morphs[i]);
    free(values);
}

static void put_poses(FILE *out, const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                      enum pose_axes axes, const char *title)
{
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, axes, NULL, &error);
    if (!sampler) {
        fprintf(out, "no sampler: %s\n", error.detail);
        return;
    }
    double d = (double)clip->duration;
    put_pose(out, sampler, title, 0, POSE_CLAMP);
    put_pose(out, sampler, title, 0.37 * d, POSE_CLAMP);
    put_pose(out, sampler, title, 1.21 * d, POSE_WRAP);
    pose_sampler_free(sampler);
}

/* The stand-in that knows most of the clip's tracks; NULL when none knows any. The caller frees the document. */
static struct pose_document *best_stand_in(const struct pose_clip *clip)
{
    struct pose_document *best = NULL;
    uint32_t most = 0;
    for (unsigned i = 0; pose_stand_in_name(i); i++) {
        struct pose_document *document = pose_stand_in(i, NULL, NULL);
        uint32_t known = document ? pose_skeleton_match(&document->skeletons[0], clip) : 0;
        if (known <= most) {
            pose_document_free(document);
            continue;
        }
        pose_document_free(best);
        best = document;
        most = known;
    }
    return best;
}

static void put_clip(FILE *out, const struct pose_clip *clip)
{
    fprintf(out, "clip %s\naxes %s\nrules %s\nduration %.5f\nfps %.5f\nframes %u\n",
            clip->name ? clip->name : "-", axes_names[clip->axes], rules_names[clip->rules],
            (double)clip->duration, (double)clip->fps, clip->frame_count);
    fprintf(out, "loop %s, %.5f to %.5f\nkeys %llu\n", loop_names[clip->loop], (double)clip->loop_in,
            (double)clip->loop_out, (unsigned long long)clip->key_count);
    put_value(out, "extras", clip->extras);
    put_warnings(out, clip->warnings, clip->warning_count);
    put_events(out, clip->events, clip->event_count);
    for (uint32_t i = 0; i < clip->track_count; i++)
        put_track(out, i, &clip->tracks[i]);
    put_poses(out, clip, NULL, clip->axes, "native");
    struct pose_document *stand_in = best_stand_in(clip);
    if (stand_in)
        put_poses(out, clip, &stand_in->skeletons[0], POSE_AXES_GLTF, "on the stand-in");
    pose_document_free(stand_in);
}

/* -------------------------------------------------------------------------------- skeletons, meshes, others -- */

static void put_skeleton(FILE *out, const struct pose_skeleton *skeleton)
{
    fprintf(out, "skeleton %s\naxes %s\njoints %u\n", skeleton->name ? skeleton->name : "-",
            axes_names[skeleton->axes], skeleton->joint_count);
    put_value(out, "extras", skeleton->extras);
    put_warnings(out, skeleton->warnings, skeleton->warning_count);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        fprintf(out, "joint %u ", i);
        put_name(out, joint->name, joint->has_id, joint->id);
        fprintf(out, " parent %d", joint->parent);
        put_floats(out, joint->translation, 3);
        put_floats(out, joint->rotation, 4);
        put_floats(out, joint->scale, 3);
        fputc('\n', out);
        for (const char *const *alias = joint->aliases; alias && *alias; alias++)
            fprintf(out, "  alias %s\n", *alias);
        put_value(out, "  extras", joint->extras);
    }
}

/* Of vertices, faces and blends every seventh tells enough. */
enum { MESH_STEP = 7 };

static void put_material(FILE *out, const struct pose_material *material)
{
    static const char *const alphas[] = {"opaque", "mask", "blend"};
    fprintf(out, "material %s image %s by %u %s", material->name ? material->name : "-",
            material->image ? material->image : "-", material->image_uv, alphas[material->alpha]);
    put_floats(out, &material->cutoff, 1);
    put_floats(out, material->base_color, 4);
    put_floats(out, material->emissive, 3);
    fprintf(out, " emissive %s by %u%s\n", material->emissive_image ? material->emissive_image : "-",
            material->emissive_uv, material->two_sided ? " two-sided" : "");
    if (material->covers) {
        fprintf(out, "  covers");
        put_floats(out, material->ground, 3);
        put_floats(out, &material->gain, 1);
        fprintf(out, "\n");
    }
    put_value(out, "  extras", material->extras);
}

static void put_body_vertex(FILE *out, const struct pose_mesh *mesh, uint32_t v)
{
    fprintf(out, "vertex %u", v);
    put_floats(out, mesh->positions[v], 3);
    if (mesh->normals)
        put_floats(out, mesh->normals[v], 3);
    if (mesh->uvs)
        put_floats(out, mesh->uvs[v], 2);
    for (uint32_t set = 0; set < mesh->further_uv_count; set++)
        put_floats(out, mesh->further_uvs[set][v], 2);
    if (mesh->colors)
        fprintf(out, " color %u %u %u %u", mesh->colors[v][0], mesh->colors[v][1], mesh->colors[v][2],
                mesh->colors[v][3]);
    for (unsigned i = 0; mesh->influences && i < POSE_WEIGHTS; i++) {
        fprintf(out, " bone %u", mesh->influences[v].bones[i]);
        put_floats(out, &mesh->influences[v].weights[i], 1);
    }
    fputc('\n', out);
}

/* What a mesh in the space of the model has beyond the others'. */
static void put_body(FILE *out, const struct pose_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        fprintf(out, "bone ");
        put_name(out, mesh->bones ? mesh->bones[i] : NULL, mesh->bone_ids != NULL,
                 mesh->bone_ids ? mesh->bone_ids[i] : 0);
        if (mesh->inverse_binds)
            put_floats(out, mesh->inverse_binds[i], 16);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < mesh->material_count; i++)
        put_material(out, &mesh->materials[i]);
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        fprintf(out, "primitive material %u faces %u+%u\n", mesh->primitives[i].material,
                mesh->primitives[i].face_first, mesh->primitives[i].face_count);
    for (uint32_t i = 0; i < mesh->real_count; i += MESH_STEP)
        put_body_vertex(out, mesh, i);
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const struct pose_morph_target *morph = &mesh->morphs[i];
        fprintf(out, "morph ");
        put_name(out, morph->name, morph->has_id, morph->id);
        fprintf(out, " of %u", morph->count);
        put_floats(out, &morph->weight, 1);
        fputc('\n', out);
        for (uint32_t k = 0; k < morph->count; k += MESH_STEP) {
            fprintf(out, "  vertex %u", morph->vertices[k]);
            put_floats(out, morph->positions[k], 3);
            if (morph->normals)
                put_floats(out, morph->normals[k], 3);
            if (morph->uvs)
                put_floats(out, morph->uvs[k], 2);
            fputc('\n', out);
        }
    }
}

static void put_image(FILE *out, const struct pose_image *image)
{
    fprintf(out, "image %s %u by %u%s%s\n", image->name ? image->name : "-", image->width, image->height,
            image->has_alpha ? " with alpha" : "", image->clamps ? " clamps" : "");
    put_value(out, "extras", image->extras);
    put_warnings(out, image->warnings, image->warning_count);
    if (!image->pixels)
        fprintf(out, "  %zu bytes\n", image->bytes.size);
    for (size_t i = 0; image->pixels && i < (size_t)image->width * image->height; i += MESH_STEP)
        fprintf(out, "%02x%02x%02x%02x%c", image->pixels[i][0], image->pixels[i][1], image->pixels[i][2],
                image->pixels[i][3], i / MESH_STEP % 16 == 15 ? '\n' : ' ');
    fputc('\n', out);
}

static void put_mesh(FILE *out, const struct pose_mesh *mesh)
{
    fprintf(out, "mesh %s\ntexture %s\nvertices %u and %u\nfaces %u\n", mesh->name ? mesh->name : "-",
            mesh->texture ? mesh->texture : "-", mesh->real_count, mesh->blend_count, mesh->face_count);
    put_value(out, "extras", mesh->extras);
    put_warnings(out, mesh->warnings, mesh->warning_count);
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const struct pose_binding *binding = &mesh->bindings[i];
        fprintf(out, "binding %s %u+%u blends %u+%u\n", mesh->bones[binding->bone], binding->first,
                binding->count, binding->blend_first, binding->blend_count);
    }
    for (uint32_t i = 0; i < mesh->face_count; i += MESH_STEP)
        fprintf(out, "face %u %u %u\n", mesh->faces[i][0], mesh->faces[i][1], mesh->faces[i][2]);
    if (mesh->space == POSE_SPACE_BIND) {
        put_body(out, mesh);
        return;
    }
    for (uint32_t i = 0; i < mesh->real_count + mesh->blend_count; i += MESH_STEP) {
        fprintf(out, "vertex %u", i);
        put_floats(out, mesh->positions[i], 3);
        put_floats(out, mesh->normals[i], 3);
        if (i < mesh->real_count)
            put_floats(out, mesh->uvs[i], 2);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < mesh->blend_count; i += MESH_STEP)
        fprintf(out, "blend %u weight %d\n", mesh->blends[i].vertex, mesh->blends[i].weight);
}

static void put_character(FILE *out, const struct pose_character *character)
{
    fprintf(out, "%s %s\n", character->type ? character->type : "character",
            character->name ? character->name : "-");
    put_value(out, "extras", character->extras);
    put_warnings(out, character->warnings, character->warning_count);
}

static void put_document(FILE *out, const struct pose_document *document)
{
    fprintf(out, "format %s\n", document->format);
    put_value(out, "extras", document->extras);
    put_warnings(out, document->warnings, document->warning_count);
    put_events(out, document->events, document->event_count);
    for (uint32_t i = 0; i < document->clip_count; i++)
        put_clip(out, &document->clips[i]);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        put_skeleton(out, &document->skeletons[i]);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        put_mesh(out, &document->meshes[i]);
    for (uint32_t i = 0; i < document->character_count; i++)
        put_character(out, &document->characters[i]);
    for (uint32_t i = 0; i < document->image_count; i++)
        put_image(out, &document->images[i]);
}

static void put_archive(FILE *out, const struct pose_archive *archive)
{
    fprintf(out, "archive %s\n", pose_archive_format(archive));
    for (uint32_t i = 0; i < pose_archive_warning_count(archive); i++)
        put_warnings(out, pose_archive_warning(archive, i), 1);
    for (uint32_t i = 0; i < pose_archive_count(archive); i++) {
        const struct pose_entry *entry = pose_archive_entry(archive, i);
        fprintf(out, "entry %u %s %llu bytes kind %s format %s\n", i, entry->name,
                (unsigned long long)entry->size, entry->kind ? entry->kind : "-",
                entry->format ? entry->format : "-");
        if (entry->skipped)
            fprintf(out, "  skipped: %s\n", entry->skipped);
        struct pose_buffer bytes;
        struct pose_error error;
        if (!pose_archive_read(archive, i, &bytes, &error)) {
            fprintf(out, "  refused: %s: %s\n", error.code, error.detail);
            continue;
        }
        const char *format =
            pose_detect(&(struct pose_source){.name = entry->name, .bytes = {bytes.data, bytes.size}});
        fprintf(out, "  %zu bytes of %s\n", bytes.size, format ? format : "nothing known");
        pose_buffer_free(&bytes);
    }
}

void dump_file(FILE *out, const struct pose_source *source)
{
    struct pose_error error;
    const char *id = pose_detect(source);
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    if (format && strstr(format->kinds, "archive")) {
        struct pose_archive *archive = pose_archive_open(source, NULL, &error);
        if (archive)
            put_archive(out, archive);
        else
            fprintf(out, "refused: %s: %s\n", error.code, error.detail);
        pose_archive_close(archive);
        return;
    }
    struct pose_document *document = pose_decode(source, NULL, &error);
    if (document)
        put_document(out, document);
    else
        fprintf(out, "refused: %s: %s\n", error.code, error.detail);
    pose_document_free(document);
}

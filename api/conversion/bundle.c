#include "api/conversion/bundle.h"

#include "api/conversion/making.h"
#include "lib/core/bytes/zip_records.h"
#include "server/library/names.h"
#include "server/library/unique_names.h"
#include "server/ops/work/effort.h"
#include "server/store/draft.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORT = 1 << 20 }; /* bytes of report.json that name files */

struct bundle_clip {
    const struct catalog_item *item; /* as it is at its place in the archive */
    char *name;                      /* without extension, from malloc */
};

/* The owner of the stream. */
struct bundle {
    struct service *service;
    struct catalog *common, *source; /* referenced; the service's, and where the clips are */
    struct bundle_bytes bytes;       /* that source is made of */
    struct params params;            /* of its own: the request ends before the stream */
    const struct pose_target *target;
    size_t count, next;
    struct bundle_clip *clips;
    struct pose_buffer pending, directory; /* to be sent, and the ZIP's directory so far */
    size_t sent;                           /* of pending */
    uint64_t offset;                       /* in the ZIP, of what pending ends with */
    struct zip_directory rows;             /* written to directory */
    size_t made, failed, unnamed;
    double failed_seconds;                         /* of processor, by clips that were not made */
    struct pose_buffer described, errors, skipped; /* JSON items of the report */
    bool is_finished, has_failed;
};

void bundle_bytes_release(struct bundle_bytes *bytes)
{
    draft_free(bytes->draft);
    free(bytes->memory);
    *bytes = (struct bundle_bytes){0};
}

static void bundle_free(void *owner)
{
    struct bundle *bundle = owner;
    for (size_t i = 0; i < bundle->count; i++)
        free(bundle->clips[i].name);
    free(bundle->clips);
    pose_buffer_free(&bundle->pending);
    pose_buffer_free(&bundle->directory);
    pose_buffer_free(&bundle->described);
    pose_buffer_free(&bundle->errors);
    pose_buffer_free(&bundle->skipped);
    params_release(&bundle->params);
    catalog_unref(bundle->source);
    catalog_unref(bundle->common);
    bundle_bytes_release(&bundle->bytes);
    free(bundle);
}

/* ------------------------------------------------------------------------------------------------------ the ZIP -- */

static void put(struct bundle *bundle, struct pose_buffer *to, const void *bytes, size_t size)
{
    bundle->has_failed |= !pose_buffer_append(to, bytes, size);
}

/* For zip_sink. */
static bool append(void *buffer, const void *bytes, size_t size)
{
    return pose_buffer_append(buffer, bytes, size);
}

/* Whether a file of that size, the report and the directory still fit: the fields have 32 bits. */
static bool has_room(const struct bundle *bundle, size_t size)
{
    const uint64_t spare = 64 << 20;
    return bundle->offset + size + bundle->rows.size + spare < ZIP_MAX_SIZE;
}

static void put_file(struct bundle *bundle, const char *name, const void *bytes, size_t size)
{
    const struct zip_file file =
        zip_stored(name, libdeflate_crc32(0, bytes, size), (uint32_t)size, (uint32_t)bundle->offset);
    bundle->has_failed |= !zip_write_local(&file, append, &bundle->pending) ||
                          !append(&bundle->pending, bytes, size) || !zip_directory_add(&bundle->rows, &file);
    bundle->offset += ZIP_LOCAL_SIZE + file.name_length + size;
}

static void put_end(struct bundle *bundle)
{
    struct zip_directory end = bundle->rows;
    put(bundle, &bundle->pending, bundle->directory.data, bundle->directory.size);
    end.user = &bundle->pending;
    bundle->has_failed |= !zip_directory_end(&end, bundle->offset);
}

/* --------------------------------------------------------------------------------------------------- the report -- */

/* Adds an item to a list of the report; one that has become too long only counts it. */
static void put_item(struct bundle *bundle, struct pose_buffer *list, const struct pose_buffer *item)
{
    if (bundle->described.size + bundle->errors.size + bundle->skipped.size + item->size > MAX_REPORT) {
        bundle->unnamed++;
        return;
    }
    if (list->size)
        put(bundle, list, ",", 1);
    put(bundle, list, item->data, item->size);
}

static void put_reason(struct bundle *bundle, struct pose_buffer *list, const char *name, const char *detail)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "file", name);
    jsonw_line(&json, "detail", detail);
    jsonw_end(&json);
    put_item(bundle, list, &text);
    pose_buffer_free(&text);
}

static void put_error(struct bundle *bundle, const char *name, const char *detail)
{
    put_reason(bundle, &bundle->errors, name, detail);
    bundle->failed++;
}

static void put_described(struct bundle *bundle, const char *name, size_t size,
                          const struct warnings *warnings)
{
    struct pose_buffer text = {0};
    warnings_describe(&text, name, size, warnings);
    put_item(bundle, &bundle->described, &text);
    pose_buffer_free(&text);
    bundle->made++;
}

static void put_list(struct bundle *bundle, struct pose_buffer *text, const char *key,
                     const struct pose_buffer *items)
{
    char begin[32];
    int length = snprintf(begin, sizeof begin, ",\"%s\":[", key);
    put(bundle, text, begin, (size_t)length);
    if (items->size)
        put(bundle, text, items->data, items->size);
    put(bundle, text, "]", 1);
}

static void put_report(struct bundle *bundle)
{
    struct pose_buffer text = {0};
    char head[96];
    int length = snprintf(head, sizeof head, "{\"made\":%zu,\"failed\":%zu,\"unnamed\":%zu", bundle->made,
                          bundle->failed, bundle->unnamed);
    put(bundle, &text, head, (size_t)length);
    put_list(bundle, &text, "files", &bundle->described);
    put_list(bundle, &text, "errors", &bundle->errors);
    put_list(bundle, &text, "skipped", &bundle->skipped);
    put(bundle, &text, "}\n", 2);
    if (!bundle->has_failed)
        put_file(bundle, "report.json", text.data, text.size);
    pose_buffer_free(&text);
}

/* ----------------------------------------------------------------------------------------------------- the clips -- */

/* The second file of a pair is in the folder of the first. */
static void put_beside(struct bundle *bundle, const char *name, const struct file_beside *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", (int)(name_base(name) - name), name, file->name);
    put_file(bundle, path, file->bytes.data, file->bytes.size);
}

static void put_made(struct bundle *bundle, const char *name, const struct conversion_result *made)
{
    size_t size = made->bytes.size;
    for (uint32_t i = 0; i < made->beside_count; i++)
        size += made->beside[i].bytes.size;
    if (!has_room(bundle, size)) {
        put_error(bundle, name, "a ZIP holds at most 4 GiB");
        return;
    }
    put_file(bundle, name, made->bytes.data, made->bytes.size);
    for (uint32_t i = 0; i < made->beside_count; i++)
        put_beside(bundle, name, &made->beside[i]);
    put_described(bundle, name, made->bytes.size, &made->warnings);
}

static struct conversion_place place_of(const struct bundle *bundle)
{
    return (struct conversion_place){.service = bundle->service,
                                     .from = {&bundle->params, bundle->common, bundle->source},
                                     .options = bundle->service->index_options.pose};
}

static void put_clip(struct bundle *bundle, const struct bundle_clip *clip)
{
    char extension[16], name[4096];
    struct effort effort;
    struct conversion_place place = place_of(bundle);
    const struct ingredient ingredient = {bundle->source, clip->item};
    const struct conversion_parts parts = {.clip_count = 1, .clips = &ingredient};
    const struct conversion_file file = {
        .name = name_base(clip->name), .key_file = name_base(clip->name), .unzipped = true};
    struct conversion_result result;
    char detail[CONVERSION_DETAIL];
    effort_begin(&effort, (double)bundle->service->config->max_time_ms * 1e-3, NULL, NULL);
    place.options.stop = &effort.stop;
    place.options.limits.output = bundle->service->config->max_output;
    target_extension(bundle->target, extension);
    snprintf(name, sizeof name, "%s.%s", clip->name, extension);
    const bool is_made = conversion_make_one(&place, bundle->target, &parts, &file, &result, detail);
    if (is_made)
        put_made(bundle, name, &result);
    else
        put_error(bundle, name, detail);
    conversion_result_release(&result);
    effort_end(&effort);
    bundle->failed_seconds += is_made ? 0 : (double)effort.used_ns * 1e-9;
}

/* A clip that fails sends nothing, so that nobody notices whether the client is still there: all of them together have
 * the time of one. */
static bool has_time(const struct bundle *bundle)
{
    double most = (double)bundle->service->config->max_time_ms * 1e-3;
    return most <= 0 || bundle->failed_seconds < most;
}

/* One more file, or the end. */
static void produce(struct bundle *bundle)
{
    if (bundle->next < bundle->count) {
        const struct bundle_clip *clip = &bundle->clips[bundle->next++];
        if (has_time(bundle))
            put_clip(bundle, clip);
        else
            put_error(bundle, clip->name, "not tried: clips before it that failed took all of --max-time");
        return;
    }
    put_report(bundle);
    put_end(bundle);
    bundle->is_finished = true;
}

static ssize_t bundle_read(void *owner, uint8_t *buffer, size_t capacity)
{
    struct bundle *bundle = owner;
    struct pose_buffer *pending = &bundle->pending;
    while (bundle->sent == pending->size && !bundle->is_finished && !bundle->has_failed) {
        pose_buffer_free(pending);
        *pending = (struct pose_buffer){0};
        bundle->sent = 0;
        produce(bundle);
    }
    if (bundle->has_failed)
        return -1;
    size_t left = pending->size - bundle->sent, size = left < capacity ? left : capacity;
    if (size)
        memcpy(buffer, pending->data + bundle->sent, size);
    bundle->sent += size;
    return (ssize_t)size;
}

/* ------------------------------------------------------------------------------------------------------ the list -- */

/* A name of an archive may have megabytes, or lead out of the folder in which somebody unpacks the ZIP. */
static void make_safe(char *name)
{
    enum { MAX_NAME = 1000 };
    size_t length = strnlen(name, MAX_NAME), begin = strspn(name, "/\\");
    while (length == MAX_NAME && length && ((uint8_t)name[length] & 0xc0) == 0x80)
        length--; /* not within a character */
    name[length] = '\0';
    memmove(name, name + (begin < length ? begin : length), length - (begin < length ? begin : length) + 1);
    for (char *part = name; *part; part += *part == '/') {
        size_t size = strcspn(part, "/\\");
        if (size == strspn(part, "."))
            memset(part, '_', size);
        part += size;
        if (*part)
            *part = '/';
    }
    if (!*name)
        strcpy(name, "_");
}

static bool add_clip(struct bundle *bundle, const struct index_archive *archive, struct catalog_place place,
                     const struct index_asset *asset)
{
    struct catalog_item *item = catalog_find_at(bundle->source, ASSET_CLIP, &asset->id, place);
    if (!item)
        return true;
    char *name = conversion_file_name(archive->entries[place.entry], asset->name);
    if (!name)
        return false;
    make_safe(name);
    bundle->clips[bundle->count++] = (struct bundle_clip){item, name};
    return true;
}

/* Says of a file why there is nothing of it. */
static void put_entry(struct bundle *bundle, const struct index_entry *entry)
{
    if (entry->error)
        put_error(bundle, entry->name, entry->error->detail);
    else if (entry->is_copy)
        put_reason(bundle, &bundle->skipped, entry->name, "the same as an earlier file");
    else if (!entry->format)
        put_reason(bundle, &bundle->skipped, entry->name, "of an unknown format");
    else
        put_reason(bundle, &bundle->skipped, entry->name, "holds no clip");
}

static bool list_clips(struct bundle *bundle, const struct index_archive *archive, uint32_t index)
{
    size_t most = 0;
    for (uint32_t e = 0; e < archive->entry_count; e++)
        most += archive->entries[e]->asset_count;
    char ***names = try_alloc(most + 1, sizeof *names);
    bundle->clips = try_alloc(most, sizeof *bundle->clips);
    if (!names || !bundle->clips) {
        free(names);
        return false;
    }
    bool done = true;
    for (uint32_t at = 0; at < index_present(archive); at++) {
        const uint32_t e = index_slot(archive, at);
        const struct index_entry *entry = archive->entries[e];
        const size_t before = bundle->count;
        for (uint32_t i = 0; i < entry->asset_count && done; i++) {
            if (entry->assets[i].kind == ASSET_CLIP)
                done = add_clip(bundle, archive, (struct catalog_place){index, e}, &entry->assets[i]);
        }
        if (bundle->count == before || entry->error)
            put_entry(bundle, entry);
    }
    char *report = strdup("report"); /* the first, so that it keeps its name */
    names[0] = &report;
    for (size_t i = 0; i < bundle->count; i++)
        names[i + 1] = &bundle->clips[i].name;
    done = done && report && names_make_unique(names, bundle->count + 1);
    free(report);
    free(names);
    return done;
}

/* ---------------------------------------------------------------------------------------------------- the answer -- */

/* Parameters that are wrong for the first clip are wrong for all, and are reported before anything is sent. */
static bool check_parameters(struct api_call *call, const struct bundle *bundle)
{
    struct conversion conversion;
    struct param_error error;
    bool done = conversion_read(&bundle->params, bundle->target, false, &conversion, &error);
    if (done && bundle->count) {
        const struct ingredient clip = {bundle->source, bundle->clips[0].item};
        struct conversion_parts parts = {.clip_count = 1, .clips = &clip};
        const struct conversion_place place = place_of(bundle);
        done = conversion_parts_read(&place, &parts, &error);
    }
    conversion_release(&conversion);
    if (!done)
        reply_parameter(call, &error);
    return done;
}

/* "clips" of clips.7z, from malloc; the name of a folder has no extension. */
static char *zip_name(const struct index_archive *archive)
{
    const bool is_folder = !strcmp(archive->format, "folder");
    return is_folder ? strdup(archive->name) : strndup(archive->name, name_stem(archive->name));
}

enum api_outcome reply_bundle(struct api_call *call, const struct bundle_order *order)
{
    struct param_error error;
    struct bundle *bundle = calloc(1, sizeof *bundle);
    if (!bundle) {
        return reply_no_memory(call);
    }
    *bundle = (struct bundle){
        .service = call->service, .common = call->catalog, .source = order->source, .target = order->target};
    bundle->rows = (struct zip_directory){.sink = append, .user = &bundle->directory};
    catalog_ref(bundle->common);
    catalog_ref(bundle->source);
    if (!params_parse(&bundle->params, call->request->query, &error) ||
        !list_clips(bundle, order->archive, order->index)) {
        bundle_free(bundle);
        return reply_no_memory(call);
    }
    /* What was missed is fetched, and then this runs again, with the same bytes. */
    if (!check_parameters(call, bundle) || catalog_turn_missed()) {
        bundle_free(bundle);
        return API_DONE;
    }
    char *name = zip_name(order->archive);
    if (!name) {
        bundle_free(bundle);
        return reply_no_memory(call);
    }
    if (order->bytes) {
        /* Nobody else has the source: it lasts as long as the client reads. Its catalogue's own tables take about
         * twice what the index does (9,000 entries: 7 of 10 MB). */
        call->response->held = order->bytes->size + 3 * index_memory(order->archive);
        bundle->bytes = *order->bytes;
        *order->bytes = (struct bundle_bytes){0};
    }
    reply_attachment(call, name, "zip");
    free(name);
    call->response->is_dear = true;
    response_stream(call->response, "application/zip", API_UNKNOWN_SIZE, bundle_read, bundle_free, bundle);
    return API_DONE;
}

/* GET /v1/archives/{id}.zip?to=: every clip of an archive in another format. */
#include "api/conversion/bundle.h"
#include "api/handlers/handlers.h"

#include <string.h>

enum api_outcome handle_archive_zip(struct api_call *call)
{
    struct asset_id id;
    struct param_error error;
    uint32_t index;
    const char *text = call->values[0];
    const struct index_archive *archive =
        id_parse(text, strlen(text), &id) ? catalog_find_archive(call->catalog, &id, &index) : NULL;
    if (!archive)
        return reply_not_found(call, "archive", text);
    const struct pose_target *target = bundle_target(&call->params, &error);
    if (!target)
        return reply_parameter(call, &error);
    struct asset_id digest = digest_begin(call, &archive->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, call->request->query);
    if (reply_cached(call, digest, FRESH_REVALIDATE, false))
        return API_DONE;
    const struct bundle_order order = {
        .source = call->catalog, .archive = archive, .index = index, .target = target};
    return reply_bundle(call, &order);
}

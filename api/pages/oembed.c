/* GET /oembed: lets a forum embed a pasted link as a moving figure (oEmbed 1.0, type rich). */
#include "api/handlers/handlers.h"
#include "api/pages/card.h"
#include "api/protocol/forwarded.h"
#include "api/signing/signed.h"
#include "lib/core/bytes/markup.h"
#include "server/ops/base_path.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_WIDTH = 640, DEFAULT_HEIGHT = 400, MIN_SIZE = 120, MAX_SIZE = 2048 };

/* The parsed URL of a page: kind, id, and archive scope. */
struct address {
    enum card_kind kind;
    char id[ID_TEXT], archive[ID_TEXT];
};

static bool take_id(const char *at, char id[ID_TEXT])
{
    size_t length = strcspn(at, "?/#&");
    struct asset_id parsed;
    if (length != ID_TEXT - 1 || !id_parse(at, length, &parsed))
        return false;
    memcpy(id, at, length);
    id[length] = '\0';
    return true;
}

/* Ids mean the same on every server, so a host name other than the request's is accepted. */
static bool read_address(const char *url, struct address *address)
{
    static const struct {
        const char *part;
        enum card_kind kind;
    } pages[] = {{"/clip/", CARD_CLIP},
                 {"/embed/", CARD_CLIP},
                 {"/archive/", CARD_ARCHIVE},
                 {"/character/", CARD_CHARACTER},
                 {"/skeleton/", CARD_SKELETON}};
    memset(address, 0, sizeof *address);
    const char *host = strstr(url, "://");
    const char *path = strchr(host ? host + 3 : url, '/');
    if (!path || (!host && path != url))
        return false;
    path = base_path_strip(path);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        size_t length = strlen(pages[i].part);
        if (strncmp(path, pages[i].part, length) != 0 || !take_id(path + length, address->id))
            continue;
        const char *scope = strstr(path, "?archive=");
        address->kind = pages[i].kind;
        return !scope || take_id(scope + strlen("?archive="), address->archive);
    }
    return false;
}

static void put_frame(struct json_writer *json, const char *address, const char *title, int width, int height)
{
    struct pose_buffer html = {0};
    struct pose_error error;
    struct writer writer;
    pose_error_init(&error);
    writer_init(&writer, &html, &error);
    writer_text(&writer, "<iframe src=\"");
    markup_text(&writer, address);
    writer_format(&writer, "\" width=\"%d\" height=\"%d\" title=\"", width, height);
    markup_text(&writer, title);
    writer_text(&writer, "\" style=\"border:0\" loading=\"lazy\" allowfullscreen></iframe>");
    writer_u8(&writer, 0);
    json->to.failed |= !writer_finish(&writer);
    jsonw_string(json, "html", json->to.failed ? "" : (const char *)html.data);
    pose_buffer_free(&html);
}

static enum api_outcome reply_rich(struct api_call *call, const struct card *card, int width, int height)
{
    char origin[API_ORIGIN_CAPACITY], path[CARD_PATH], address[API_ORIGIN_CAPACITY + SIGNED_TARGET];
    char link[SIGNED_TARGET];
    struct pose_buffer body = {0};
    struct json_writer json;
    forwarded_origin(call->request, &call->service->config->trusted, origin);
    struct asset_id digest = digest_text(digest_begin(call, &card->id), origin);
    card_picture(card, path);
    signed_link(call, path, link);
    digest = digest_text(digest_text(digest_text(digest, call->request->query), card->title), link);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "version", "1.0");
    jsonw_string(&json, "type", "rich");
    jsonw_string(&json, "title", card->title);
    jsonw_string(&json, "provider_name", "posed");
    snprintf(address, sizeof address, "%s/", origin);
    jsonw_string(&json, "provider_url", address);
    card_embed(card, path);
    snprintf(address, sizeof address, "%s%s", origin, path);
    put_frame(&json, address, card->title, width, height);
    jsonw_integer(&json, "width", width);
    jsonw_integer(&json, "height", height);
    snprintf(address, sizeof address, "%s%s", origin, link);
    jsonw_string(&json, "thumbnail_url", address);
    jsonw_integer(&json, "thumbnail_width", CARD_WIDTH);
    jsonw_integer(&json, "thumbnail_height", CARD_HEIGHT);
    jsonw_end(&json);
    return reply_json(call, &body);
}

/* A side of the frame, limited to the space that the client has. */
static bool read_side(struct api_call *call, const char *name, int preferred, int *side)
{
    struct param_error error;
    int64_t room = preferred;
    if (!params_integer(&call->params, name, 1, INT32_MAX, &room, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    *side = room < MIN_SIZE ? MIN_SIZE : room < preferred ? (int)room : preferred;
    return true;
}

enum api_outcome handle_oembed(struct api_call *call)
{
    const char *url = params_get(&call->params, "url"), *format = params_get(&call->params, "format");
    struct address address;
    struct card card;
    int width, height;
    if (!url)
        return reply_bad_parameter(call, "url", "needed: the address of a page of this server");
    if (format && strcmp(format, "json") != 0)
        return reply_problem(call, 501, "not_implemented", "oEmbed is answered as JSON only");
    if (!read_side(call, "maxwidth", DEFAULT_WIDTH, &width) ||
        !read_side(call, "maxheight", DEFAULT_HEIGHT, &height))
        return API_DONE;
    if (!read_address(url, &address))
        return reply_problem(call, 404, "not_found",
                             "url is not the address of a clip, an archive or a character of this server");
    const char *scope = address.archive[0] ? address.archive : NULL;
    if (!card_find(call, address.kind, address.id, scope, &card))
        return API_DONE;
    return card.has_clip ? reply_rich(call, &card, width, height)
                         : reply_problem(call, 404, "not_found", "it contains no clip to embed");
}

/*
 * The HTML documents: the page of the catalogue, of a clip, an archive, a character, a skeleton. All are one file and one
 * script; the server only adds a head for clients that run no scripts: search engines, forums, messengers.
 */
#include "api/handlers/handlers.h"
#include "api/pages/card.h"
#include "api/pages/files.h"
#include "api/protocol/forwarded.h"
#include "api/signing/signed.h"
#include "lib/core/bytes/markup.h"

#include <stdio.h>
#include <string.h>

/* <meta property="og:…" content="…">; the value is in up to two parts. */
static void put_meta(struct writer *writer, const char *attribute, const char *name, const char *first,
                     const char *second)
{
    writer_format(writer, "    <meta %s=\"%s\" content=\"", attribute, name);
    markup_text(writer, first);
    markup_text(writer, second);
    writer_text(writer, "\" />\n");
}

static void put_picture(struct writer *writer, const struct api_call *call, const struct card *card,
                        const char *origin)
{
    char plain[CARD_PATH], path[SIGNED_TARGET];
    card_picture(card, plain);
    signed_link(call, plain, path);
    put_meta(writer, "property", "og:image", origin, path);
    writer_format(writer, "    <meta property=\"og:image:width\" content=\"%d\" />\n", CARD_WIDTH);
    writer_format(writer, "    <meta property=\"og:image:height\" content=\"%d\" />\n", CARD_HEIGHT);
    put_meta(writer, "name", "twitter:image", origin, path);
}

static void put_embed(struct writer *writer, const struct card *card, const char *origin, const char *page)
{
    char address[3 * (CARD_PATH + API_ORIGIN_CAPACITY)], encoded[sizeof address];
    snprintf(address, sizeof address, "%s%s", origin, page);
    percent_encode(address, encoded);
    writer_text(writer, "    <link rel=\"alternate\" type=\"application/json+oembed\" href=\"");
    markup_text(writer, origin);
    writer_text(writer, "/oembed?url=");
    markup_text(writer, encoded);
    writer_text(writer, "\" title=\"");
    markup_text(writer, card->title);
    writer_text(writer, "\" />\n");
}

static void put_head(struct writer *writer, const struct api_call *call, const struct card *card,
                     const char *origin)
{
    char page[CARD_PATH];
    card_page(card, page);
    writer_text(writer, "<title>");
    markup_text(writer, card->title);
    writer_text(writer, " · posed</title>\n");
    put_meta(writer, "name", "description", card->description, "");
    put_meta(writer, "property", "og:title", card->title, "");
    put_meta(writer, "property", "og:description", card->description, "");
    put_meta(writer, "property", "og:type", "website", "");
    put_meta(writer, "property", "og:site_name", "posed", "");
    put_meta(writer, "property", "og:url", origin, page);
    put_meta(writer, "name", "twitter:card", card->has_clip ? "summary_large_image" : "summary", "");
    if (card->has_clip) {
        put_picture(writer, call, card, origin);
        put_embed(writer, card, origin, page);
    }
}

/* The document with the card's head instead of its title. False if out of memory. */
static bool write_document(const struct api_call *call, const struct web_file *file, const struct card *card,
                           const char *origin, struct pose_buffer *out)
{
    static const char mark[] = "<title>posed</title>\n"; /* in server/web/index.html */
    struct pose_buffer plain = web_file_unpack(file);
    const char *text = (const char *)plain.data;
    const char *at = text ? memmem(text, plain.size, mark, strlen(mark)) : NULL;
    struct pose_error error;
    struct writer writer;
    pose_error_init(&error);
    writer_init(&writer, out, &error);
    if (at) {
        writer_bytes(&writer, text, (size_t)(at - text));
        put_head(&writer, call, card, origin);
        at += strlen(mark);
        writer_bytes(&writer, at, plain.size - (size_t)(at - text));
    }
    pose_buffer_free(&plain);
    return writer_finish(&writer) && at;
}

static enum api_outcome reply_card(struct api_call *call, enum card_kind kind)
{
    const struct web_file *file = web_file_find("index.html");
    struct card card;
    char origin[API_ORIGIN_CAPACITY], link[SIGNED_TARGET];
    struct pose_buffer body = {0};
    if (!file)
        return reply_no_page(call);
    if (!card_find(call, kind, call->values[0], params_get(&call->params, "archive"), &card))
        return API_DONE;
    forwarded_origin(call->request, &call->service->config->trusted, origin);
    struct asset_id digest = digest_text(digest_begin(call, &card.id), file->etag);
    digest = digest_text(digest_text(digest, origin), card.description);
    signed_link(call, "/", link); /* another day, other signatures */
    digest = digest_text(digest, link);
    signed_set_pass(call);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    if (!write_document(call, file, &card, origin, &body))
        return reply_no_memory(call);
    page_headers(call->response, PAGE_POLICY("", "'none'"));
    return reply_body(call, file->media_type, &body, true);
}

enum api_outcome handle_clip_page(struct api_call *call)
{
    return reply_card(call, CARD_CLIP);
}

enum api_outcome handle_archive_page(struct api_call *call)
{
    return reply_card(call, CARD_ARCHIVE);
}

enum api_outcome handle_character_page(struct api_call *call)
{
    return reply_card(call, CARD_CHARACTER);
}

enum api_outcome handle_skeleton_page(struct api_call *call)
{
    return reply_card(call, CARD_SKELETON);
}

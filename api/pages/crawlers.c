/* Files that crawlers and browsers request from every site: robots.txt, the site map, an icon. */
#include "api/handlers/handlers.h"
#include "api/pages/files.h"
#include "api/protocol/forwarded.h"
#include "api/protocol/lists.h"
#include "lib/core/bytes/markup.h"
#include "server/ops/base_path.h"

#include <stdlib.h>
#include <string.h>

/* Crawlers are kept out of the API, except for the pictures that cards show. */
static const char *const robots[][2] = {{"Allow", "/v1/clips/*/preview.png"},
                                        {"Disallow", "/v1/"},
                                        {"Disallow", "/metrics"},
                                        {"Disallow", "/moderation"}};

static enum api_outcome reply_written(struct api_call *call, const char *media_type, struct writer *writer)
{
    struct pose_buffer *body = writer->out;
    return writer_finish(writer) ? reply_body(call, media_type, body, true) : reply_no_memory(call);
}

enum api_outcome handle_robots(struct api_call *call)
{
    char origin[API_ORIGIN_CAPACITY];
    struct pose_buffer body = {0};
    struct pose_error error;
    struct writer writer;
    forwarded_origin(call->request, &call->service->config->trusted, origin);
    pose_error_init(&error);
    writer_init(&writer, &body, &error);
    writer_text(&writer, "User-agent: *\n");
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++)
        writer_format(&writer, "%s: %s%s\n", robots[i][0], base_path(), robots[i][1]);
    if (origin[0] && origin[0] != '/') /* robots.txt must give the site map's absolute URL */
        writer_format(&writer, "Sitemap: %s/sitemap.xml\n", origin);
    /* It names the origin: a cache has to ask before it gives it to somebody else. */
    if (writer_finish(&writer) &&
        reply_cached(call, id_quick(NULL, body.data, body.size), FRESH_REVALIDATE, true)) {
        pose_buffer_free(&body);
        return API_DONE;
    }
    return reply_written(call, "text/plain; charset=utf-8", &writer);
}

/* Below the 50,000 that a site map may have: the document is built and sent at once. */
enum { MAX_ADDRESSES = 10000 };

static void put_address(struct writer *writer, const char *origin, const char *kind,
                        const struct asset_id *id)
{
    char text[ID_TEXT];
    id_write(id, text);
    writer_format(writer, "<url><loc>%s%s%s</loc></url>\n", origin, kind, text);
}

/* What has pages, in the order of the site map. */
static const struct {
    int kind, tally;
    const char *path;
} mapped[] = {{ASSET_KIND_COUNT, ROWS_TALLY_ARCHIVES, "/archive/"},
              {ASSET_CHARACTER, ASSET_CHARACTER, "/character/"},
              {ASSET_SKELETON, ASSET_SKELETON, "/skeleton/"},
              {ASSET_CLIP, ASSET_CLIP, "/clip/"}};
enum { MAPPED = sizeof mapped / sizeof *mapped };

static uint64_t count_all(const struct rows *rows)
{
    uint64_t count = 0;
    for (size_t i = 0; i < MAPPED; i++)
        count += rows_tally(rows, mapped[i].tally);
    return count;
}

/* The addresses from that one on. False if they cannot be read. */
static bool put_page(struct writer *writer, struct rows *rows, const char *origin, uint64_t first)
{
    struct asset_id *ids = try_alloc(MAX_ADDRESSES, sizeof *ids);
    struct rows_view *view = NULL;
    uint32_t room = MAX_ADDRESSES;
    bool done = ids && rows_view_any(rows, &view);
    writer_text(writer, "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (size_t i = 0; i < MAPPED && done && room; i++) {
        const uint64_t count = rows_tally(rows, mapped[i].tally);
        uint32_t shown = 0;
        if (first < count)
            done = rows_ids(view, mapped[i].kind, first, room, ids, &shown);
        for (uint32_t k = 0; k < shown; k++)
            put_address(writer, origin, mapped[i].path, &ids[k]);
        room -= shown;
        first = first > count ? first - count : 0;
    }
    writer_text(writer, "</urlset>\n");
    rows_view_close(view);
    free(ids);
    return done;
}

static void put_index(struct writer *writer, const char *origin, uint64_t pages)
{
    writer_text(writer, "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (uint64_t page = 1; page <= pages; page++)
        writer_format(writer, "<sitemap><loc>%s/sitemap.xml?page=%llu</loc></sitemap>\n", origin,
                      (unsigned long long)page);
    writer_text(writer, "</sitemapindex>\n");
}

enum api_outcome handle_sitemap(struct api_call *call)
{
    if (!call->request->may_wait)
        return API_WAIT;
    struct rows *rows = service_rows(call->service);
    if (!rows)
        return reply_no_memory(call);
    const uint64_t total = count_all(rows);
    const uint64_t pages = total ? (total - 1) / MAX_ADDRESSES + 1 : 1;
    char origin[API_ORIGIN_CAPACITY];
    struct pose_buffer body = {0};
    struct pose_error out_of_memory;
    struct param_error error;
    struct writer writer;
    int64_t page = 0;
    if (!params_integer(&call->params, "page", 1, (int64_t)pages, &page, &error))
        return reply_parameter(call, &error);
    forwarded_origin(call->request, &call->service->config->trusted, origin);
    if (reply_cached(call, digest_text(list_digest(call), origin), FRESH_REVALIDATE, true))
        return API_DONE;
    pose_error_init(&out_of_memory);
    writer_init(&writer, &body, &out_of_memory);
    writer_text(&writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (!page && pages > 1)
        put_index(&writer, origin, pages);
    else if (!put_page(&writer, rows, origin, page ? (uint64_t)(page - 1) * MAX_ADDRESSES : 0)) {
        pose_buffer_free(&body);
        return reply_no_memory(call);
    }
    return reply_written(call, "application/xml", &writer);
}

#include "server/library/rows/query.h"

#include <string.h>

void query_add(struct query *query, const char *text)
{
    const size_t length = strlen(text);
    if (query->length + length >= sizeof query->text)
        return; /* then it cannot be prepared */
    memcpy(query->text + query->length, text, length + 1);
    query->length += length;
}

static struct query_value *add_value(struct query *query, const char *text)
{
    static struct query_value beyond;
    query_add(query, text);
    return query->count < MAX_VALUES ? &query->values[query->count++] : &beyond;
}

void query_integer(struct query *query, const char *text, int64_t value)
{
    *add_value(query, text) = (struct query_value){.kind = VALUE_INTEGER, .integer = value};
}

void query_real(struct query *query, const char *text, double value)
{
    *add_value(query, text) = (struct query_value){.kind = VALUE_REAL, .real = value};
}

void query_text(struct query *query, const char *text, const char *value, size_t most)
{
    *add_value(query, text) =
        (struct query_value){.kind = VALUE_TEXT, .text = value, .integer = (int64_t)strnlen(value, most)};
}

static void query_blob(struct query *query, const char *text, const char *value)
{
    *add_value(query, text) =
        (struct query_value){.kind = VALUE_BLOB, .text = value, .integer = (int64_t)strlen(value)};
}

sqlite3_stmt *query_prepare(struct rows_link *link, const struct query *query)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(link->db, query->text, -1, &statement, NULL) != SQLITE_OK) {
        link->failed = true;
        return NULL;
    }
    for (unsigned i = 0; i < query->count; i++) {
        const struct query_value *value = &query->values[i];
        const int at = (int)i + 1;
        if (value->kind == VALUE_INTEGER)
            sqlite3_bind_int64(statement, at, value->integer);
        else if (value->kind == VALUE_REAL)
            sqlite3_bind_double(statement, at, value->real);
        else if (value->kind == VALUE_BLOB)
            link_bind_blob(statement, at, value->text, (size_t)value->integer);
        else
            sqlite3_bind_text(statement, at, value->text, (int)value->integer, SQLITE_STATIC);
    }
    return statement;
}

int64_t query_count(struct rows_link *link, const struct query *query)
{
    sqlite3_stmt *statement = query_prepare(link, query);
    int64_t count = 0;
    if (link_step(link, statement))
        count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* ---------------------------------------------------------------------------------------------- conditions -- */

/* What rows may be found by, besides an order. */
enum way {
    BY_ARCHIVE,
    BY_JOINT,
    BY_EVENT,
    BY_NAME,
    BY_FORMAT,
    BY_SOURCE,
    BY_LOOP,
    BY_DURATION,
    WAY_COUNT,
    BY_ORDER = WAY_COUNT
};

static const char *const indices_of_ways[] = {[BY_NAME] = "asset_name",
                                              [BY_FORMAT] = "asset_format",
                                              [BY_SOURCE] = "asset_source",
                                              [BY_LOOP] = "asset_loop",
                                              [BY_DURATION] = "asset_duration"};

static bool applies(const struct listing_filter *filter, enum way way)
{
    const bool ways[] = {
        [BY_ARCHIVE] = filter->archive, [BY_JOINT] = filter->has_joint, [BY_NAME] = filter->name,
        [BY_FORMAT] = filter->format,   [BY_SOURCE] = filter->source,   [BY_DURATION] = filter->has_duration,
        [BY_EVENT] = filter->event,     [BY_LOOP] = filter->has_loop,   [BY_ORDER] = true,
    };
    return ways[way];
}

static int source_bit(const struct listing_filter *filter)
{
    return !strcmp(filter->source, "path") ? ROWS_OF_PATH : ROWS_OF_UPLOAD;
}

/* The contents that know the joint, or have an event of the type. The name of a joint means something else in the axes of each engine. */
static void add_contents(struct query *query, const struct listing_filter *filter, enum way way)
{
    if (way == BY_EVENT) {
        query_blob(query, "SELECT content FROM event WHERE type = ?", filter->event);
        return;
    }
    query_add(query, "SELECT content FROM joint WHERE ");
    for (int axes = POSE_AXES_GLTF; axes <= POSE_AXES_Z_UP; axes++) {
        const uint64_t name =
            filter->joint ? known_name((enum pose_axes)axes, filter->joint) : filter->joint_ids[0];
        query_integer(query, axes ? " OR (axes = ?" : "(axes = ?", axes);
        query_integer(query, " AND hash IN (?", (int64_t)name);
        query_integer(query, ", ?", (int64_t)filter->joint_ids[0]);
        query_integer(query, ", ?))", (int64_t)filter->joint_ids[1]);
    }
}

static int64_t number_of_archive(struct rows_link *link, const struct asset_id *id)
{
    sqlite3_stmt *statement = link_statement(link, ROWS_FIND_ARCHIVE);
    int64_t number = 0;
    link_bind_blob(statement, 1, id, sizeof *id);
    if (link_step(link, statement))
        number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return number;
}

static void add_condition(struct query *query, const struct listing_filter *filter, enum way way,
                          int64_t archive)
{
    switch (way) {
    case BY_ARCHIVE:
        query_integer(query, " AND EXISTS (SELECT 1 FROM place p WHERE p.archive = ?", archive);
        query_add(query, " AND p.kind = a.kind AND p.asset = a.number)");
        break;
    case BY_JOINT:
    case BY_EVENT:
        query_add(query, " AND a.content IN (");
        add_contents(query, filter, way);
        query_add(query, ")");
        break;
    case BY_NAME:
        query_text(query, " AND a.name = ?", filter->name, MAX_SORT_TEXT);
        break;
    case BY_FORMAT:
        query_text(query, " AND a.format = ?", filter->format, MAX_VALUE);
        break;
    case BY_LOOP:
        query_integer(query, " AND a.loop = ?", filter->loop);
        break;
    case BY_SOURCE:
        query_integer(query, " AND a.source IN (?", source_bit(filter));
        query_integer(query, ", ?)", ROWS_OF_PATH | ROWS_OF_UPLOAD);
        break;
    default:
        query_real(query, " AND a.duration BETWEEN ?", filter->min_duration);
        query_real(query, " AND ?", filter->max_duration);
        break;
    }
}

/* The rows of a kind, found in one way. */
static void add_from(struct query *query, const struct listing_filter *filter, enum way way,
                     const char *order_index, int64_t archive)
{
    if (way == BY_ARCHIVE) {
        query_integer(query, " FROM place p CROSS JOIN asset a ON a.number = p.asset WHERE p.archive = ?",
                      archive);
        query_integer(query, " AND p.kind = ?", filter->kind);
        return;
    }
    if (way == BY_JOINT || way == BY_EVENT) {
        query_add(query, " FROM (SELECT DISTINCT content FROM (");
        add_contents(query, filter, way);
        query_integer(
            query,
            ")) c CROSS JOIN asset a INDEXED BY asset_content ON a.content = c.content WHERE a.kind = ?",
            filter->kind);
        return;
    }
    query_add(query, " FROM asset a INDEXED BY ");
    query_add(query, way == BY_ORDER ? order_index : indices_of_ways[way]);
    query_integer(query, " WHERE a.kind = ?", filter->kind);
    if (way != BY_ORDER)
        add_condition(query, filter, way, archive);
}

enum { FEW = 2000 };

/* How many rows there are in one way, up to a bound. */
static int64_t count_few(struct rows_link *link, const struct listing_filter *filter, enum way way,
                         int64_t archive)
{
    struct query query = {.length = 0};
    query_add(&query, "SELECT count(*) FROM (SELECT 1");
    add_from(&query, filter, way, NULL, archive);
    query_integer(&query, " LIMIT ?)", FEW + 1);
    return query_count(link, &query);
}

static enum way choose(struct rows_link *link, const struct listing_filter *filter, bool in_order,
                       int64_t archive)
{
    enum way best = BY_ORDER;
    int64_t fewest = INT64_MAX;
    for (int way = 0; way < WAY_COUNT; way++) {
        if (!applies(filter, (enum way)way))
            continue;
        const int64_t count = count_few(link, filter, (enum way)way, archive);
        if (count < fewest) {
            fewest = count;
            best = (enum way)way;
        }
    }
    return in_order && fewest > FEW ? BY_ORDER : best;
}

const char *query_key(const struct listing_filter *filter, enum listing_sort sort)
{
    static const char *const keys[] = {
        [SORT_ARRIVAL] = NULL,      [SORT_NAME] = "a.name",      [SORT_DURATION] = "a.duration",
        [SORT_FORMAT] = "a.format", [SORT_NEWEST] = "a.created", [SORT_BYTES] = "a.bytes",
        [SORT_MATCH] = NULL,
    };
    const bool is_other =
        filter->of_archives ? sort == SORT_DURATION || sort == SORT_FORMAT : sort == SORT_BYTES;
    return is_other ? NULL : keys[sort];
}

static const char *index_of(enum listing_sort sort)
{
    static const char *const indices[] = {
        [SORT_ARRIVAL] = "asset_kind",  [SORT_NAME] = "asset_name",      [SORT_DURATION] = "asset_duration",
        [SORT_FORMAT] = "asset_format", [SORT_NEWEST] = "asset_created", [SORT_BYTES] = "asset_kind",
        [SORT_MATCH] = "asset_kind",
    };
    return indices[sort];
}

/* The numbers of rows whose own words are found. */
static void add_own_numbers(struct query *query, const struct listing_filter *filter,
                            const struct query_words *words)
{
    if (filter->of_archives) {
        query_text(query, "SELECT rowid AS number FROM archive_words WHERE archive_words MATCH ?", words->own,
                   MAX_VALUE);
        query_integer(query, " AND rowid > ?", words->after);
        return;
    }
    query_text(query, "SELECT rowid AS number FROM asset_words WHERE asset_words MATCH ?", words->own,
               MAX_VALUE);
    query_integer(query, " AND rowid > ?", words->after);
    query_integer(query, " AND rowid & ?", ROWS_KIND_BITS);
    query_integer(query, " = ?", filter->kind);
}

static void add_content_numbers(struct query *query, const struct listing_filter *filter,
                                const struct query_words *words)
{
    query_text(query,
               "SELECT b.number FROM content_words c CROSS JOIN asset b INDEXED BY asset_content"
               " ON b.content = c.rowid WHERE content_words MATCH ?",
               words->contents, MAX_VALUE);
    query_integer(query, " AND b.kind = ?", filter->kind);
    query_integer(query, " AND b.number > ?", words->after);
}

/* The rows that the indices of words find. */
static void add_from_words(struct query *query, const struct listing_filter *filter,
                           const struct query_words *words)
{
    if (words->is_along) {
        query_integer(query, " FROM asset a INDEXED BY asset_kind WHERE a.kind = ?", filter->kind);
        query_integer(query, " AND a.number > ?", words->after);
        query_text(query, " AND a.content IN (SELECT rowid FROM content_words WHERE content_words MATCH ?)",
                   words->contents, MAX_VALUE);
        return;
    }
    query_add(query, " FROM (");
    if (words->own)
        add_own_numbers(query, filter, words);
    if (words->own && words->contents)
        query_add(query, " UNION ");
    if (words->contents)
        add_content_numbers(query, filter, words);
    query_add(query, filter->of_archives ? ") w CROSS JOIN archive a ON a.number = w.number WHERE 1"
                                         : ") w CROSS JOIN asset a ON a.number = w.number WHERE 1");
}

static void add_archives(struct query *query, const struct listing_filter *filter,
                         const struct query_words *words)
{
    if (words)
        add_from_words(query, filter, words);
    else
        query_add(query, " FROM archive a WHERE 1");
    if (filter->source)
        query_integer(query, " AND +a.source = ?", source_bit(filter));
    if (filter->state != STATE_ANY)
        query_integer(query, " AND a.waits = ?", filter->state == STATE_WAITING);
}

void query_rows(struct rows_link *link, struct query *query, const struct listing_filter *filter,
                enum listing_sort sort, bool in_order, const struct query_words *words)
{
    if (filter->of_archives) {
        add_archives(query, filter, words);
        return;
    }
    const int64_t archive = filter->archive ? number_of_archive(link, filter->archive) : 0;
    const enum way by = words ? BY_ORDER : choose(link, filter, in_order, archive);
    if (words)
        add_from_words(query, filter, words);
    else
        add_from(query, filter, by, index_of(sort), archive);
    for (int way = 0; way < WAY_COUNT; way++) {
        if (way != (int)by && applies(filter, (enum way)way))
            add_condition(query, filter, (enum way)way, archive);
    }
    /* A name that is sorted by its beginning only. */
    if (filter->name && strlen(filter->name) > MAX_SORT_TEXT)
        query_text(query, " AND a.long_name = ?", filter->name, MAX_VALUE);
    else if (filter->name)
        query_add(query, " AND a.long_name IS NULL");
}

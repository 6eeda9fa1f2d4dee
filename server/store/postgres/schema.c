#include "server/store/postgres/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAKING_MS = 60000 };

/* Who makes tables holds this lock, one at a time: the bytes of "posed". */
#define LOCK "482804755812"

/*
 * What leads to a version, in order. Functions carry the version that brought them, so that a later one can leave
 * them to older programs.
 *
 * Every change first takes the row of posed_state, whose version it advances: so versions become visible in their order,
 * and each statement of a function after that sees all that was committed before. It is one statement of the client, which
 * therefore cannot hold the row while the network does not answer. Versions are nanoseconds since 1970 where the clock
 * allows.
 */
static const struct {
    int version;
    const char *text;
} steps[] = {
    {1,
     "CREATE TABLE posed_schema (version integer PRIMARY KEY, oldest integer NOT NULL,"
     " made timestamptz NOT NULL DEFAULT now());"

     "CREATE TABLE posed_state ("
     " only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),"
     " epoch bytea NOT NULL,"
     " version bigint NOT NULL,"
     " forgotten bigint NOT NULL," /* removals up to this version are not remembered */
     " bytes bigint NOT NULL);"    /* of all uploads */
     "INSERT INTO posed_state (epoch, version, forgotten, bytes)"
     " SELECT decode(md5(random()::text || clock_timestamp()::text || pg_backend_pid()::text), 'hex'), 0, 0, "
     "0;"

     "CREATE TABLE posed_upload ("
     " id bytea PRIMARY KEY CHECK (length(id) = 16)," /* of the archive */
     " sequence bigint NOT NULL UNIQUE,"              /* in order of arrival */
     " version bigint NOT NULL UNIQUE,"               /* of its last change, */
     " kind smallint NOT NULL,"                       /* which was that */
     " actor text,"                                   /* and who did it */
     " ticket bytea NOT NULL,"
     " blob bytea NOT NULL CHECK (length(blob) = 32)," /* SHA-256 */
     " name text NOT NULL,"
     " format text," /* forced by the client */
     " game text,"
     " has_parts boolean NOT NULL,"
     " bytes bigint NOT NULL CHECK (bytes >= 0),"
     " created_ms bigint NOT NULL,"
     " uploader text,"
     " expires_ms bigint NOT NULL,"
     " is_waiting boolean NOT NULL,"
     " revision bigint NOT NULL," /* of the decoder and the layout of data; 0: there is none */
     " context bytea,"            /* of the PATHs that it depends on */
     " size bigint NOT NULL,"     /* of the blob's file when its bytes were verified: size, time and inode */
     " modified_ns bigint NOT NULL,"
     " inode bigint NOT NULL,"
     " data bytea,"
     " making timestamptz);" /* until then somebody is making the record anew */
     "CREATE INDEX posed_upload_blob ON posed_upload (blob);"
     "CREATE INDEX posed_upload_due ON posed_upload (expires_ms) WHERE expires_ms > 0;"
     "CREATE INDEX posed_upload_waiting ON posed_upload (sequence) WHERE is_waiting;"
     "CREATE INDEX posed_upload_bound ON posed_upload (sequence) WHERE context IS NOT NULL;"

     "CREATE TABLE posed_removed ("
     " id bytea PRIMARY KEY,"
     " version bigint NOT NULL UNIQUE,"
     " ticket bytea NOT NULL,"
     " actor text, reason text, blob bytea NOT NULL, name text NOT NULL, format text, bytes bigint NOT NULL,"
     " uploader text, is_waiting boolean NOT NULL,"
     " is_swept boolean NOT NULL DEFAULT false);" /* its bytes have been looked at since */
     "CREATE INDEX posed_removed_unswept ON posed_removed (version) WHERE NOT is_swept;"

     "CREATE TABLE posed_held (uploader text PRIMARY KEY, bytes bigint NOT NULL);"
     /* Bytes that are being removed: the mark of who died meanwhile ends by itself. */
     "CREATE TABLE posed_sweeping (blob bytea PRIMARY KEY, since timestamptz NOT NULL);"

     "CREATE FUNCTION posed_next_1() RETURNS bigint LANGUAGE sql AS $$"
     " UPDATE posed_state SET version ="
     "  greatest(version + 1, (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint) RETURNING "
     "version "
     "$$;"

     "CREATE FUNCTION posed_count_1(p_uploader text, p_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$ "
     "BEGIN"
     " UPDATE posed_state SET bytes = bytes + p_bytes;"
     " IF p_uploader IS NOT NULL THEN"
     "  INSERT INTO posed_held AS held (uploader, bytes) VALUES (p_uploader, p_bytes)"
     "   ON CONFLICT (uploader) DO UPDATE SET bytes = held.bytes + excluded.bytes;"
     " END IF; END $$;"

    },
    /* outcome: enum addition */
    {1,
     "CREATE FUNCTION posed_add_1(p_id bytea, p_blob bytea, p_name text, p_format text, p_game text,"
     " p_parts boolean, p_bytes bigint, p_created bigint, p_uploader text, p_expires bigint, p_waiting "
     "boolean,"
     " p_revision bigint, p_context bytea, p_size bigint, p_modified bigint, p_inode bigint, p_data bytea,"
     " p_ticket bytea, p_most bigint, p_quota bigint, p_replaces boolean,"
     " OUT outcome integer, OUT at bigint) LANGUAGE plpgsql AS $$"
     "DECLARE old record; place bigint; BEGIN"
     " at := posed_next_1(); place := at;"
     " SELECT u.version, u.sequence, u.ticket, u.bytes, u.uploader INTO old FROM posed_upload u WHERE u.id = "
     "p_id;"
     " IF FOUND AND (NOT p_replaces OR old.ticket = p_ticket) THEN"
     "  outcome := CASE WHEN old.ticket = p_ticket THEN 0 ELSE 1 END; at := old.version; RETURN;"
     " ELSIF FOUND THEN"
     "  place := old.sequence;"
     "  DELETE FROM posed_upload u WHERE u.id = p_id;"
     "  PERFORM posed_count_1(old.uploader, -old.bytes);"
     " END IF;"
     " IF p_most > 0 AND (SELECT s.bytes FROM posed_state s) + p_bytes > p_most THEN outcome := 2; RETURN; "
     "END IF;"
     " IF p_quota > 0 AND p_bytes + coalesce((SELECT h.bytes FROM posed_held h WHERE h.uploader = "
     "p_uploader), 0)"
     "  > p_quota THEN outcome := 3; RETURN; END IF;"
     " IF EXISTS (SELECT 1 FROM posed_sweeping s WHERE s.blob = p_blob"
     "  AND s.since > clock_timestamp() - interval '1 minute') THEN outcome := 4; RETURN; END IF;"
     " DELETE FROM posed_removed r WHERE r.id = p_id;"
     " INSERT INTO posed_upload (id, sequence, version, kind, actor, ticket, blob, name, format, game, "
     "has_parts,"
     "  bytes, created_ms, uploader, expires_ms, is_waiting, revision, context, size, modified_ns, inode, "
     "data)"
     "  VALUES (p_id, place, at, 0, p_uploader, p_ticket, p_blob, p_name, p_format, p_game, p_parts, p_bytes,"
     "  p_created, p_uploader, p_expires, p_waiting, p_revision, p_context, p_size, p_modified, p_inode, "
     "p_data);"
     " PERFORM posed_count_1(p_uploader, p_bytes);"
     " PERFORM pg_notify('posed', '');"
     " outcome := 0; END $$;"

    },
    /* outcome: 0 it is removed, 1 there is none. Removals are forgotten after 30 days, a few at a time. */
    {1,
     "CREATE FUNCTION posed_remove_1(p_id bytea, p_actor text, p_reason text, p_ticket bytea,"
     " OUT outcome integer, OUT at bigint, OUT was_blob bytea, OUT others bigint) LANGUAGE plpgsql AS $$"
     "DECLARE old record; last bigint; BEGIN"
     " at := posed_next_1();"
     " DELETE FROM posed_upload u WHERE u.id = p_id"
     "  RETURNING u.blob, u.name, u.format, u.bytes, u.uploader, u.is_waiting INTO old;"
     " IF NOT FOUND THEN"
     "  SELECT r.blob, r.version INTO old FROM posed_removed r WHERE r.id = p_id AND r.ticket = p_ticket;"
     "  outcome := CASE WHEN FOUND THEN 0 ELSE 1 END;"
     "  IF FOUND THEN at := old.version; was_blob := old.blob; END IF;"
     " ELSE"
     "  outcome := 0; was_blob := old.blob;"
     "  INSERT INTO posed_removed (id, version, ticket, actor, reason, blob, name, format, bytes, uploader, "
     "is_waiting)"
     "   VALUES (p_id, at, p_ticket, p_actor, p_reason, old.blob, old.name, old.format, old.bytes, "
     "old.uploader,"
     "   old.is_waiting);"
     "  PERFORM posed_count_1(old.uploader, -old.bytes);"
     "  WITH gone AS (DELETE FROM posed_removed r WHERE r.version IN (SELECT o.version FROM posed_removed o"
     "   WHERE o.version < at - 30 * 86400 * 1000000000::bigint ORDER BY o.version LIMIT 10) RETURNING "
     "r.version)"
     "   SELECT max(version) INTO last FROM gone;"
     "  IF last IS NOT NULL THEN UPDATE posed_state SET forgotten = greatest(forgotten, last); END IF;"
     "  PERFORM pg_notify('posed', '');"
     " END IF;"
     " others := (SELECT count(*) FROM posed_upload u WHERE u.blob = was_blob); END $$;"

    },
    /* outcome: 0 it is published, 1 there is none that waits */
    {1, "CREATE FUNCTION posed_publish_1(p_id bytea, p_actor text, p_ticket bytea,"
        " OUT outcome integer, OUT at bigint) LANGUAGE plpgsql AS $$ BEGIN"
        " at := posed_next_1(); outcome := 0;"
        " UPDATE posed_upload u SET is_waiting = false, version = at, kind = 1, actor = p_actor, ticket = "
        "p_ticket"
        "  WHERE u.id = p_id AND u.is_waiting;"
        " IF NOT FOUND THEN"
        "  SELECT u.version INTO at FROM posed_upload u WHERE u.id = p_id AND u.ticket = p_ticket;"
        "  outcome := CASE WHEN FOUND THEN 0 ELSE 1 END;"
        " ELSE PERFORM pg_notify('posed', ''); END IF; END $$;"

        /* Marks bytes that no upload has; whether it did. */
        "CREATE FUNCTION posed_mark_1(p_blob bytea) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM 1 FROM posed_state FOR UPDATE;"
        " IF EXISTS (SELECT 1 FROM posed_upload u WHERE u.blob = p_blob) THEN RETURN false; END IF;"
        " INSERT INTO posed_sweeping VALUES (p_blob, clock_timestamp())"
        "  ON CONFLICT (blob) DO UPDATE SET since = excluded.since;"
        " RETURN true; END $$;"},
};
/* For each version, the oldest program that goes on beside it. */
static const int oldest[] = {1};
enum { VERSION = sizeof oldest / sizeof *oldest };

static bool take_tables(void *user, const struct pg_value *values, unsigned count)
{
    struct schema_state *state = user;
    state->version = count > 1 && values[0].bytes && *(const char *)values[0].bytes == 't' ? 1 : 0;
    state->is_utf8 = count > 1 && values[1].bytes && !strcmp(values[1].bytes, "UTF8");
    return true;
}

static bool take_version(void *user, const struct pg_value *values, unsigned count)
{
    struct schema_state *state = user;
    state->version = count > 1 && values[0].bytes ? atoi(values[0].bytes) : 0;
    state->oldest = count > 1 && values[1].bytes ? atoi(values[1].bytes) : 0;
    return true;
}

bool schema_look(struct pool *pool, struct pg *pg, struct schema_state *state, struct store_error *error)
{
    *state = (struct schema_state){0};
    if (!pool_run(pool, pg,
                  "SELECT to_regclass('posed_schema') IS NOT NULL, current_setting('server_encoding')",
                  MAKING_MS, take_tables, state, error))
        return false;
    if (!state->is_utf8)
        return store_fail(error, STORE_BROKEN,
                          "the database of --catalog does not hold UTF-8: create it with ENCODING 'UTF8'");
    if (state->version &&
        !pool_run(pool, pg, "SELECT version, oldest FROM posed_schema ORDER BY version DESC LIMIT 1",
                  MAKING_MS, take_version, state, error))
        return false;
    return state->oldest <= VERSION ||
           store_fail(error, STORE_NEWER,
                      "the catalogue is of version %d, for programs of version %d on; this is of %d",
                      state->version, state->oldest, (int)VERSION);
}

static bool upgrade(struct pool *pool, struct pg *pg, struct store_error *error)
{
    struct schema_state state;
    if (!schema_look(pool, pg, &state, error)) /* again: another may have been faster */
        return false;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].version > state.version &&
            !pool_run(pool, pg, steps[i].text, MAKING_MS, NULL, NULL, error))
            return false;
    }
    for (int version = state.version; version < VERSION; version++) {
        char text[160];
        snprintf(text, sizeof text, "INSERT INTO posed_schema (version, oldest) VALUES (%d, %d)", version + 1,
                 oldest[version]);
        if (!pool_run(pool, pg, text, MAKING_MS, NULL, NULL, error))
            return false;
    }
    return true;
}

static bool take_answer(void *user, const struct pg_value *values, unsigned count)
{
    *(bool *)user = count && values[0].bytes && *(const char *)values[0].bytes == 't';
    return true;
}

static bool take_lock(struct pool *pool, struct pg *pg, struct store_error *error)
{
    enum { STEP_MS = 20 };
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    bool is_ours = false;
    for (int i = 0; i < MAKING_MS / STEP_MS && !is_ours; i++) {
        if (i)
            nanosleep(&step, NULL);
        if (!pool_run(pool, pg, "SELECT pg_try_advisory_lock(" LOCK ")", MAKING_MS, take_answer, &is_ours,
                      error))
            return false;
    }
    return is_ours || store_fail(error, STORE_AWAY, "somebody else is making the tables of the catalogue");
}

bool schema_make(struct pool *pool, struct pg *pg, struct store_error *error)
{
    struct schema_state state;
    struct store_error ignored;
    if (!schema_look(pool, pg, &state, error))
        return false;
    if (state.version >= VERSION)
        return true;
    /* The lock is not the transaction's: that has to begin afterwards, to see what others have made meanwhile. */
    if (!take_lock(pool, pg, error))
        return false;
    const bool done = pool_run(pool, pg, "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0",
                               MAKING_MS, NULL, NULL, error) &&
                      upgrade(pool, pg, error) && pool_run(pool, pg, "COMMIT", MAKING_MS, NULL, NULL, error);
    if (!done)
        pool_run(pool, pg, "ROLLBACK", MAKING_MS, NULL, NULL, &ignored);
    pool_run(pool, pg, "SELECT pg_advisory_unlock(" LOCK ")", MAKING_MS, NULL, NULL, &ignored);
    return done;
}

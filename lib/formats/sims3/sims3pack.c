/*
 * Sims3Pack, the installer format of The Sims 3: packages and images after a manifest. Little-endian.
 *
 *     0   u32 7, "TS3Pack"        17  the manifest, XML in UTF-8
 *     11  u16 version, 0x0101     17 + length: the data, from which offsets count
 *     13  u32 length of the manifest
 *
 *     <Sims3Package ...>  <PackagedFile>  <Name>  <Length>  <Offset>
 *
 * Facts, their sources and open questions: sims3pack.md. The data is not compressed; packages inside it may be.
 */
#include "lib/core/text.h"
#include "lib/core/xml.h"
#include "lib/formats/archive.h"

#include <string.h>

enum {
    HEADER = 17,
    KNOWN_VERSION = 0x0101,
    MAX_TEXT = 1024, /* bytes of a name or a number */
    MAX_DEPTH = 64,  /* open elements */
};

static const char magic[] = "\7\0\0\0TS3Pack";

static const struct pose_format formats[] = {
    {.id = "sims3pack",
     .title = "Sims3Pack",
     .extensions = ".sims3pack",
     .media_type = "application/octet-stream",
     .kinds = "archive",
     .can_read = true},
    {.id = NULL},
};

static enum probe_result sims3pack_probe(const struct pose_source *source)
{
    struct pose_bytes bytes = source->bytes;
    if (bytes.size >= sizeof magic - 1 && !memcmp(bytes.data, magic, sizeof magic - 1))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, ".sims3pack") ? PROBE_NAME : PROBE_NO;
}

/* ----------------------------------------------------------------------------------------- the manifest -- */

/* A member of a PackagedFile: its text, and where that begins in the file. */
struct member {
    uint64_t at;
    bool is_there;
    size_t length;
    char text[MAX_TEXT + 1];
};

enum { NAME, LENGTH, OFFSET, MEMBERS };

static const char *const member_names[MEMBERS] = {"Name", "Length", "Offset"};

struct manifest {
    struct pose_archive *archive;
    struct pose_error *error;
    XML_Parser parser;
    uint64_t data_at;
    uint32_t depth, capacity;
    bool in_file;
    struct member *open; /* the one whose text is being read, NULL: none */
    struct member members[MEMBERS];
    struct pose_entry *entries;
    uint64_t *rows; /* start of each entry in the file */
};

static uint64_t place(const struct manifest *manifest)
{
    int64_t at = xml_byte(manifest->parser);
    return HEADER + (at < 0 ? 0 : (uint64_t)at);
}

/* Stops parsing with an error. */
static void refuse(struct manifest *manifest, const char *code, const char *reason)
{
    if (!error_is_set(manifest->error)) {
        error_set(manifest->error, POSE_BAD_DATA, code, "manifest at byte %llu: %s",
                  (unsigned long long)place(manifest), reason);
        manifest->error->offset = place(manifest);
    }
    XML_StopParser(manifest->parser, XML_FALSE);
}

/* Makes room for one more entry; each takes many bytes of the manifest, which bounds the memory. */
static bool grow(struct manifest *manifest)
{
    struct pose_archive *archive = manifest->archive;
    uint32_t count = archive->entry_count;
    if (!archive_check_count(archive, (uint64_t)count + 1, manifest->error))
        return false;
    if (count < manifest->capacity)
        return true;
    uint32_t capacity = count ? count * 2 : 16;
    struct pose_entry *entries = ARENA_NEW(&archive->arena, struct pose_entry, capacity);
    uint64_t *rows = ARENA_NEW(&archive->arena, uint64_t, capacity);
    if (!entries || !rows)
        return error_no_memory(manifest->error);
    if (count) {
        memcpy(entries, manifest->entries, count * sizeof *entries);
        memcpy(rows, manifest->rows, count * sizeof *rows);
    }
    manifest->entries = entries;
    manifest->rows = rows;
    manifest->capacity = capacity;
    archive->entries = entries;
    archive->rows = rows;
    return true;
}

static bool reject(struct manifest *manifest, const struct member *member, const char *name, const char *code,
                   const char *reason)
{
    struct pose_error error;
    pose_error_init(&error);
    uint32_t index = manifest->archive->entry_count - 1;
    error_set(&error, POSE_BAD_DATA, code, "entries[%u].%s at byte %llu: %s", index, name,
              (unsigned long long)member->at, reason);
    error.offset = member->at;
    archive_reject(manifest->archive, index, &error);
    return false;
}

static bool take_number(struct manifest *manifest, unsigned which, uint64_t *value)
{
    struct member *member = &manifest->members[which];
    const char *digits = member->text + strspn(member->text, " \t\r\n");
    size_t length = strspn(digits, "0123456789");
    *value = 0;
    for (size_t i = 0; i < length && i < 19; i++)
        *value = *value * 10 + (uint64_t)(digits[i] - '0');
    bool is_number = length && length < 19 && !digits[length + strspn(digits + length, " \t\r\n")];
    return is_number || reject(manifest, member, member_names[which], "bad_number",
                               member->is_there ? "not a whole number of at most 18 digits" : "missing");
}

/* Interprets the three members of an entry that already exists. */
static void take_range(struct manifest *manifest)
{
    uint64_t size, offset, left = manifest->archive->bytes.size - manifest->data_at;
    uint32_t index = manifest->archive->entry_count - 1;
    if (!take_number(manifest, LENGTH, &size) || !take_number(manifest, OFFSET, &offset))
        return;
    if (offset > left)
        reject(manifest, &manifest->members[OFFSET], "Offset", "entry_range", "beyond the end of the file");
    else if (size > left - offset)
        reject(manifest, &manifest->members[LENGTH], "Length", "entry_range",
               "ends beyond the end of the file");
    else {
        manifest->entries[index].size = size;
        manifest->rows[index] = manifest->data_at + offset;
    }
}

static void end_file(struct manifest *manifest)
{
    struct pose_archive *archive = manifest->archive;
    const struct member *name = &manifest->members[NAME];
    if (!grow(manifest)) {
        XML_StopParser(manifest->parser, XML_FALSE);
        return;
    }
    uint32_t index = archive->entry_count++;
    manifest->rows[index] = manifest->data_at;
    manifest->entries[index] =
        (struct pose_entry){.name = archive_name(&archive->arena, (const uint8_t *)name->text, name->length)};
    take_range(manifest);
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    (void)attributes;
    struct manifest *manifest = user;
    if (manifest->depth == 0 && strcmp(name, "Sims3Package") != 0)
        refuse(manifest, "bad_root", "the root is not Sims3Package");
    else if (manifest->depth == MAX_DEPTH)
        refuse(manifest, "too_deep", "elements are nested too deep");
    manifest->open = NULL;
    if (manifest->depth == 1 && !strcmp(name, "PackagedFile")) {
        manifest->in_file = true;
        for (int i = 0; i < MEMBERS; i++) {
            struct member *member = &manifest->members[i];
            member->at = place(manifest);
            member->is_there = false;
            member->length = 0;
            member->text[0] = 0;
        }
    }
    for (int i = 0; manifest->depth == 2 && manifest->in_file && i < MEMBERS; i++) {
        if (!strcmp(name, member_names[i])) {
            manifest->open = &manifest->members[i];
            manifest->open->at = place(manifest);
            manifest->open->is_there = true;
            manifest->open->length = 0;
            manifest->open->text[0] = 0;
        }
    }
    manifest->depth++;
}

static void XMLCALL end_element(void *user, const XML_Char *name)
{
    (void)name;
    struct manifest *manifest = user;
    manifest->depth--;
    manifest->open = NULL;
    if (manifest->depth == 1 && manifest->in_file) {
        manifest->in_file = false;
        end_file(manifest);
    }
}

static void XMLCALL take_text(void *user, const XML_Char *text, int length)
{
    struct manifest *manifest = user;
    struct member *member = manifest->open;
    if (!member)
        return;
    if ((size_t)length > MAX_TEXT - member->length) {
        refuse(manifest, "text_too_long", "a name or number of more than 1024 bytes");
        return;
    }
    memcpy(member->text + member->length, text, (size_t)length);
    member->length += (size_t)length;
    member->text[member->length] = 0;
}

/* Refuses entities, by which a hostile manifest could expand. */
static void XMLCALL start_doctype(void *user, const XML_Char *name, const XML_Char *system_id,
                                  const XML_Char *public_id, int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    refuse(user, "doctype", "document type declarations are not allowed");
}

static bool parse(struct manifest *manifest, const uint8_t *text, size_t size)
{
    XML_SetUserData(manifest->parser, manifest);
    XML_SetElementHandler(manifest->parser, start_element, end_element);
    XML_SetCharacterDataHandler(manifest->parser, take_text);
    XML_SetStartDoctypeDeclHandler(manifest->parser, start_doctype);
    enum XML_Error code =
        xml_parse(manifest->parser, (struct pose_bytes){text, size}, &manifest->archive->arena);
    if (code == XML_ERROR_NO_MEMORY)
        return error_no_memory(manifest->error);
    if (code != XML_ERROR_NONE)
        refuse(manifest, "bad_xml", XML_ErrorString(code));
    return !error_is_set(manifest->error);
}

static bool sims3pack_open(struct pose_archive *archive, const struct pose_source *source,
                           struct pose_error *error)
{
    struct reader reader;
    reader_init(&reader, source->bytes, error);
    const uint8_t *signature = reader_bytes(&reader, sizeof magic - 1, "signature");
    if (signature && memcmp(signature, magic, sizeof magic - 1) != 0)
        return reader_fail_at(&reader, 0, "signature", "bad_magic", "not TS3Pack");
    uint16_t version = reader_u16le(&reader, "version");
    uint32_t size = reader_u32le(&reader, "manifest_size");
    const uint8_t *text = reader_bytes(&reader, size, "manifest");
    if (!text)
        return false;
    if (size > MAX_XML)
        return error_limit(error, "bytes", "a manifest of %u bytes of XML; at most %d", size, MAX_XML);
    if (version != KNOWN_VERSION)
        warning_add(&archive->warnings, POSE_WARNING, "unknown_version", sizeof magic - 1,
                    "version 0x%04x; only 0x0101 is supported", version);
    struct manifest *manifest = ARENA_NEW(&archive->arena, struct manifest, 1);
    if (!manifest)
        return false;
    *manifest = (struct manifest){.archive = archive,
                                  .error = error,
                                  .data_at = HEADER + (uint64_t)size,
                                  .parser = XML_ParserCreate(NULL)};
    if (!manifest->parser)
        return error_no_memory(error);
    bool done = parse(manifest, text, size);
    XML_ParserFree(manifest->parser);
    if (done)
        archive_warn_duplicates(archive);
    return done && !archive->arena.failed;
}

static bool sims3pack_read(struct read_job *job)
{
    const uint64_t *rows = job->archive->rows;
    return read_plain(job, rows[job->index], (size_t)job->archive->entries[job->index].size);
}

const struct archive_type sims3pack_archive = {
    .formats = formats,
    .probe = sims3pack_probe,
    .open = sims3pack_open,
    .read = sims3pack_read,
};

/* Clip JSON: what it says, what is refused, and that a game's file comes back byte for byte by way of it. */
#include "lib/core/value.h"
#include "tests/support/codecs.h"
#include "tests/support/companions.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ reading -- */

static struct pose_document *must_read(const char *json)
{
    return codec_must_decode("json", json, strlen(json));
}

static const char small[] =
    "{\"name\":\"nod\",\"format\":\"sl-anim\",\"duration\":2,\"fps\":null,\"loop\":true,\"loop_in\":0.5,"
    "\"loop_out\":1.5,"
    "\"extras\":{\"base_priority\":3,\"deep\":[[1,-0,0.1,1e-7,4294967295,\"\\u00e4\",true,null,{\"a\":{}}]]},"
    "\"joints\":[{\"name\":\"mHead\",\"id\":null,\"rotation\":{\"times\":[0,0.1],\"values\":[[0,0,0,1],[1e-7,"
    "-0,0.3,0.9]]},"
    "\"extras\":{\"priority\":4}},{\"name\":null,\"id\":4294967295},"
    "{\"name\":\"m\",\"morph\":{\"times\":[2],\"values\":[[0.5]]}}],"
    "\"events\":[{\"time\":1,\"type\":\"b\"},{\"time\":0.5,\"type\":\"a\",\"value\":\"x\",\"n\":[1]}],"
    "\"more\":1}";

TEST(what_it_says_is_read)
{
    struct pose_document *document = must_read(small);
    const struct pose_clip *clip = document->clips;
    ck_assert_str_eq(document->format, "json");
    ck_assert_str_eq(clip->origin, "sl-anim");
    ck_assert(clip->axes == POSE_AXES_SL && clip->rules == POSE_RULES_SL && clip->loop == POSE_LOOP_YES);
    ck_assert(clip->duration == 2 && clip->fps == 0 && clip->loop_in == 0.5f && clip->loop_out == 1.5f);
    ck_assert_uint_eq(clip->track_count, 3);
    const struct pose_channel *rotation = &clip->tracks[0].channels[POSE_ROTATION];
    ck_assert_uint_eq(rotation->count, 2);
    ck_assert(rotation->times[1] == 0.1f && rotation->values[4] == 1e-7f && signbit(rotation->values[5]));
    ck_assert_int_eq(value_get_int(clip->tracks[0].extras, "priority", 0), 4);
    ck_assert(!clip->tracks[1].name && clip->tracks[1].has_id && clip->tracks[1].id == 4294967295);
    ck_assert(clip->tracks[2].channels[POSE_MORPH].values[0] == 0.5f);
    ck_assert_uint_eq(clip->event_count, 2);
    ck_assert_str_eq(clip->events[0].type, "a");
    ck_assert_str_eq(value_get_string(clip->events[0].fields, "value", ""), "x");
    struct pose_buffer extras = {0};
    pose_json_value(&extras, clip->extras);
    pose_buffer_append(&extras, "", 1);
    ck_assert_str_eq((const char *)extras.data,
                     "{\"base_priority\":3,\"deep\":[[1,-0,0.1,1e-7,4294967295,\"\xc3\xa4\",true,"
                     "null,{\"a\":{}}]]}");
    pose_buffer_free(&extras);
    pose_document_free(document);
}

/* What is written of it reads as the same, and is then written the same. */
TEST(it_writes_what_it_reads)
{
    for (int gltf = 0; gltf < 2; gltf++) {
        struct pose_document *first = must_read(small);
        const struct pose_value setting = {
            .kind = POSE_STRING, .key = "axes", .as.string = gltf ? "gltf" : "native"};
        const struct pose_value settings = {.kind = POSE_OBJECT, .first = &setting};
        struct pose_content content = document_content(first);
        content.settings = &settings;
        struct pose_buffer text = codec_must_encode("json", &content, NULL);
        struct pose_document *second = codec_must_decode("json", text.data, text.size);
        struct pose_content again = document_content(second);
        struct pose_buffer same = codec_must_encode("json", &again, NULL);
        ck_assert(second->clips->axes == (gltf ? POSE_AXES_GLTF : POSE_AXES_SL));
        ck_assert(second->clips->rules == POSE_RULES_SL);
        ck_assert_str_eq(second->clips->origin, "sl-anim");
        codec_check_bytes("json", text.data, text.size, same.data, same.size);
        const float *q = second->clips->tracks[0].channels[POSE_ROTATION].values + 4;
        ck_assert(q[gltf ? 1 : 2] == 0.3f); /* y of glTF is z of Second Life */
        pose_buffer_free(&text);
        pose_buffer_free(&same);
        pose_document_free(first);
        pose_document_free(second);
    }
}

/* BVH for Second Life is in inches, which are kept unless glTF's axes are asked for. */
TEST(inches_are_kept)
{
    static const char json[] =
        "{\"duration\":1,\"axes\":\"native\",\"unit\":\"inch\",\"joints\":[{\"name\":\"hip\","
        "\"translation\":{\"times\":[0],\"values\":[[1,2,3]]}}]}";
    struct pose_document *first = must_read(json);
    ck_assert(first->clips->axes == POSE_AXES_INCHES);
    struct pose_content content = document_content(first);
    struct pose_buffer text = codec_must_encode("json", &content, NULL);
    struct pose_document *second = codec_must_decode("json", text.data, text.size);
    ck_assert(second->clips->axes == POSE_AXES_INCHES);
    ck_assert(second->clips->tracks[0].channels[POSE_TRANSLATION].values[2] == 3);
    pose_buffer_free(&text);
    pose_document_free(first);
    pose_document_free(second);
}

/* A clip with its own skeleton: joints without names and such that share one, and tracks that say which is theirs. */
static const char own[] =
    "{\"duration\":1,\"axes\":\"native\",\"up\":\"z\",\"joints\":[{\"name\":\"a\",\"joint\":2,\"rotation\":{"
    "\"times\":[0],\"values\":[[1,0,0,0]]}},{\"name\":null,\"joint\":1,\"translation\":{\"times\":[0],"
    "\"values\":[[4,5,6]]}}],"
    "\"skeleton\":{\"name\":\"figure\",\"scaling\":\"offsets\",\"root_joint\":1,\"joints\":["
    "{\"name\":\"a\",\"id\":7,\"translation\":[1,2,3]},"
    "{\"name\":null,\"parent\":0,\"rotation\":[0,0,1,0],\"scale\":[1,2,3]},"
    "{\"name\":\"a\",\"parent\":1,\"in_skin\":true,\"extras\":{\"end_sites\":[[0,4,0]]}}]}}";

TEST(its_skeleton_comes_back)
{
    struct pose_document *first = must_read(own);
    const struct pose_skeleton *skeleton = first->skeletons;
    ck_assert_uint_eq(first->skeleton_count, 1);
    ck_assert_uint_eq(skeleton->joint_count, 3);
    ck_assert_str_eq(skeleton->name, "figure");
    ck_assert(skeleton->axes == POSE_AXES_Z_UP && first->clips->axes == POSE_AXES_Z_UP);
    ck_assert(skeleton->scaling == POSE_SCALE_OFFSETS && skeleton->root_joint == 1);
    ck_assert(skeleton->joints[0].has_id && skeleton->joints[0].id == 7 && skeleton->joints[0].parent == -1);
    ck_assert(!skeleton->joints[1].name && skeleton->joints[1].scale[2] == 3);
    ck_assert(skeleton->joints[2].parent == 1 && skeleton->joints[2].rotation[3] == 1);
    for (int gltf = 0; gltf < 2; gltf++) {
        const struct pose_value setting = {
            .kind = POSE_STRING, .key = "axes", .as.string = gltf ? "gltf" : "native"};
        const struct pose_value settings = {.kind = POSE_OBJECT, .first = &setting};
        struct pose_content content = document_content(first);
        content.settings = &settings;
        struct pose_buffer text = codec_must_encode("json", &content, NULL);
        struct pose_document *second = codec_must_decode("json", text.data, text.size);
        ck_assert(second->clips->tree && second->clips->tree == second->skeletons->tree);
        ck_assert(second->skeletons->axes == (gltf ? POSE_AXES_GLTF : POSE_AXES_Z_UP));
        ck_assert(second->skeletons->joints[0].translation[1] == (gltf ? 3 : 2));
        ck_assert((second->skeletons->joints[2].extras == NULL) == gltf); /* in the file's axes alone */
        ck_assert(second->skeletons->joints[2].in_skin && !second->skeletons->joints[0].in_skin);
        float rows[2][30];
        const struct pose_document *documents[2] = {first, second};
        for (int i = 0; i < 2; i++) {
            struct pose_sampler *sampler =
                pose_sampler_new(documents[i]->clips, documents[i]->skeletons, POSE_AXES_GLTF, NULL, NULL);
            ck_assert_uint_eq(pose_sampler_row_count(sampler), 3);
            pose_sample(sampler, 0, POSE_CLAMP, POSE_IN_PLACE, rows[i], NULL);
            pose_sampler_free(sampler);
        }
        ck_assert_mem_eq(rows[0], rows[1], sizeof rows[0]);
        ck_assert(rows[0][23] == 1); /* the third joint turns, not the first of its name */
        ck_assert(rows[0][3] == 0 && rows[0][6] == 1);
        pose_document_free(second);
        pose_buffer_free(&text);
    }
    pose_document_free(first);
}

/* Floats whose shortest text lies so near to the middle between two floats that a double in between could tip it. */
TEST(every_float_comes_back)
{
    uint32_t state = 12345;
    for (int round = 0; round < 200; round++) {
        char json[16384];
        float numbers[256];
        int length = snprintf(json, sizeof json, "{\"duration\":1,\"joints\":[],\"extras\":{\"n\":[0");
        for (int i = 0; i < 256; i++) {
            uint32_t bits;
            do {
                state = state * 1664525 + 1013904223;
                bits = state;
            } while ((bits & 0x7f800000) == 0x7f800000);
            memcpy(&numbers[i], &bits, 4);
            json[length++] = ',';
            length += (int)pose_float_text(numbers[i], json + length);
        }
        snprintf(json + length, sizeof json - (size_t)length, "]}}");
        struct pose_document *document = must_read(json);
        float read[257];
        ck_assert_uint_eq(value_get_floats(document->clips->extras, "n", read, 257), 257);
        ck_assert_mem_eq(read + 1, numbers, sizeof numbers);
        pose_document_free(document);
    }
}

static const struct {
    const char *json, *code, *pointer;
} refused[] = {
    {"[]", "bad_member", ""},
    {"{\"joints\":[]}", "bad_number", "/duration"},
    {"{\"duration\":-1,\"joints\":[]}", "bad_number", "/duration"},
    {"{\"duration\":1e300,\"joints\":[]}", "bad_number", "/duration"},
    {"{\"duration\":1}", "missing_member", "/joints"},
    {"{\"duration\":1,\"joints\":{}}", "bad_member", "/joints"},
    {"{\"duration\":1,\"joints\":[1]}", "bad_member", "/joints/0"},
    {"{\"duration\":1,\"joints\":[{\"id\":-1}]}", "bad_number", "/joints/0/id"},
    {"{\"duration\":1,\"joints\":[{\"id\":4294967296}]}", "bad_number", "/joints/0/id"},
    {"{\"duration\":1,\"joints\":[{\"scale\":1}]}", "bad_member", "/joints/0/scale"},
    {"{\"duration\":1,\"joints\":[{\"scale\":{\"times\":[0]}}]}", "count_mismatch", "/joints/0/scale/values"},
    {"{\"duration\":1,\"joints\":[{},{\"scale\":{\"times\":[1,1],\"values\":[[1,1,1],[1,1,1]]}}]}",
     "bad_times", "/joints/1/scale/times/1"},
    {"{\"duration\":1,\"joints\":[{\"scale\":{\"times\":[null],\"values\":[[1,1,1]]}}]}", "bad_number",
     "/joints/0/scale/times/0"},
    {"{\"duration\":1,\"joints\":[{\"scale\":{\"times\":[0],\"values\":[[1,1]]}}]}", "bad_number",
     "/joints/0/scale/values/0"},
    {"{\"duration\":1,\"joints\":[{\"rotation\":{\"times\":[0],\"values\":[[1,1,1,1,1]]}}]}", "bad_number",
     "/joints/0/rotation/values/0"},
    {"{\"duration\":1,\"joints\":[],\"events\":[{\"type\":\"x\"}]}", "bad_number", "/events/0/time"},
    {"{\"duration\":1,\"joints\":[],\"events\":[{\"time\":0}]}", "missing_member", "/events/0/type"},
    {"{\"duration\":1,\"joints\":[],\"rules\":\"mine\"}", "bad_rules", "/rules"},
    {"{\"duration\":1,\"joints\":[],\"axes\":\"up\"}", "bad_axes", "/axes"},
    {"{\"duration\":1,\"joints\":[],\"loop\":1}", "bad_member", "/loop"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":1}}", "bad_member", "/skeleton/joints"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":[1]}}", "bad_member", "/skeleton/joints/0"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":[{\"parent\":0}]}}", "bad_parent",
     "/skeleton/joints/0/parent"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":[{\"parent\":-2}]}}", "bad_parent",
     "/skeleton/joints/0/parent"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":[{},{\"rotation\":[0,0,1]}]}}", "bad_number",
     "/skeleton/joints/1/rotation"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"joints\":[{\"id\":-1}]}}", "bad_number",
     "/skeleton/joints/0/id"},
    {"{\"duration\":1,\"joints\":[],\"skeleton\":{\"root_joint\":1,\"joints\":[{}]}}", "bad_index",
     "/skeleton/root_joint"},
    {"{\"duration\":1,\"joints\":[{\"joint\":1}],\"skeleton\":{\"joints\":[{}]}}", "bad_index",
     "/joints/0/joint"},
    {"{\"duration\":1,\"joints\":[],\"fps\":-30}", "bad_number", "/fps"},
    {"{\"duration\":1,\"joints\":[],\"frame_count\":-1}", "bad_number", "/frame_count"},
};

TEST_EACH(each_is_refused_at_its_place, COUNT(refused))
{
    const char *json = refused[_i].json;
    struct pose_error error = codec_must_fail("json", json, strlen(json), refused[_i].code);
    ck_assert_str_eq(error.field, refused[_i].pointer);
}

TEST(text_is_told_apart)
{
    static const struct {
        const char *text, *format;
    } texts[] = {
        {small, "json"},
        {"{\"joints\":[],\"duration\":0}", "json"},
        {"{\"asset\":{\"version\":\"2.0\"}}", "gltf"},
        {"{\"name\":\"x\",\"a\":{\"joints\":[],\"duration\":1}}", NULL}, /* one level too deep */
        {"{\"dependencies\":{\"asset\":{}}}", NULL},
        {"{\"joints\":\"[\",\"duration\":1}", NULL},
        {"{\"joints\":[", NULL},
        {"\"{", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pose_source source = {.bytes = {(const uint8_t *)texts[i].text, strlen(texts[i].text)}};
        ck_assert_pstr_eq(pose_detect(&source), texts[i].format);
    }
}

/* ------------------------------------------------------------------------------------------------- corpus -- */

struct tally {
    const char *format, *target; /* target NULL: the format */
    unsigned clips, same;
};

static struct pose_buffer write_clip(const char *format, const struct pose_clip *clip,
                                     struct pose_error *error)
{
    struct pose_buffer out;
    pose_encode(format, &(struct pose_content){.clip_count = 1, .clips = clip}, NULL, NULL, NULL, &out,
                error);
    return out;
}

/* The clip written as what it is, at once and by way of JSON. */
static void compare(const char *path, const char *format, const char *target, const struct pose_clip *clip,
                    struct tally *tally)
{
    struct pose_error error;
    struct pose_clip told = *clip;
    told.origin = told.origin ? told.origin : format;
    struct pose_buffer json = write_clip("json", &told, &error), direct = write_clip(target, clip, &error);
    ck_assert_msg(json.size, "%s: %s", path, error.detail);
    struct pose_document *document = codec_must_decode(NULL, json.data, json.size);
    ck_assert_str_eq(document->format, "json");
    ck_assert_str_eq(document->clips->origin, format);
    ck_assert(document->clips->axes == clip->axes && document->clips->rules == clip->rules);
    struct pose_buffer back = write_clip(target, document->clips, &error);
    codec_check_bytes(path, back.data, back.size, direct.data, direct.size);
    tally->clips++;
    tally->same += direct.size > 0;
    pose_document_free(document);
    pose_buffer_free(&json);
    pose_buffer_free(&direct);
    pose_buffer_free(&back);
}

static void compare_file(const char *path, struct tally *tallies)
{
    struct test_file file;
    struct companions companions = {.path = path};
    if (!test_file_read(path, &file))
        return;
    struct pose_source source = {
        .name = path, .bytes = {file.data, file.size}, .find = companions_find, .user = &companions};
    const char *format = pose_detect(&source);
    for (struct tally *tally = tallies; tally->format; tally++) {
        if (!format || strcmp(tally->format, format) != 0)
            continue;
        struct pose_document *document = pose_decode(&source, NULL, NULL);
        for (uint32_t i = 0; document && i < document->clip_count; i++)
            compare(path, format, tally->target ? tally->target : format, &document->clips[i], tally);
        pose_document_free(document);
    }
    companions_free(&companions);
    test_file_free(&file);
}

enum { TSO = 1, CFP = 3, TALLIES = 6 };

static void tally_files(const char *folder, struct tally tallies[TALLIES + 1])
{
    static const struct tally none[TALLIES + 1] = {{.format = "sl-anim"},    {.format = "tso-anim"},
                                                   {.format = "sims1-cmx"},  {"sims1-cmx", "sims1-cfp", 0, 0},
                                                   {.format = "sims3-clip"}, {.format = "prime-anim"},
                                                   {.format = NULL}};
    struct test_paths paths;
    memcpy(tallies, none, sizeof none);
    ck_assert_msg(test_paths_walk(folder, &paths), "%s", folder);
    for (size_t i = 0; i < paths.count; i++)
        compare_file(paths.items[i], tallies);
    test_paths_free(&paths);
}

TEST(made_files_come_back_by_way_of_json)
{
    struct tally tallies[TALLIES + 1];
    tally_files(POSED_BINARY_DIR "/format-samples", tallies);
    for (struct tally *tally = tallies; tally->format; tally++)
        ck_assert_msg(tally->same == tally->clips, "%s: %u of %u", tally->format, tally->same, tally->clips);
    ck_assert(tallies[CFP].clips && tallies[CFP + 1].clips && tallies[CFP + 2].clips);
}

/* Long names of members are texts as others are. */
TEST(long_names_come_back)
{
    enum { LONG = 5000 };
    char name[LONG + 1], json[LONG + 200];
    memset(name, 'K', LONG);
    name[LONG] = '\0';
    snprintf(json, sizeof json,
             "{\"name\":\"c\",\"format\":\"gltf\",\"duration\":1,\"axes\":\"gltf\",\"extras\":{\"%s\":7},"
             "\"joints\":[{\"name\":\"j\",\"rotation\":{\"times\":[0],\"values\":[[0,0,0,1]]}}]}",
             name);
    struct pose_document *document = codec_must_decode("json", json, strlen(json));
    ck_assert_int_eq(value_get_int(document->clips->extras, name, 0), 7);
    pose_document_free(document);
}

TEST(games_files_come_back_by_way_of_json)
{
    struct tally tallies[TALLIES + 1];
    const char *root = corpus_root();
    if (!root)
        return;
    tally_files(root, tallies);
    for (struct tally *tally = tallies; tally->format; tally++) {
        printf("%s: %u clips by way of JSON, %u the same\n", tally->target ? tally->target : tally->format,
               tally->clips, tally->same);
        /* Keys of skills that begin within another one's are no file of their own. */
        ck_assert(tally->same == tally->clips || (tally == &tallies[CFP] && tally->same > 20));
    }
    ck_assert_uint_eq(tallies[0].clips, 171);
    ck_assert_uint_eq(tallies[TSO].clips, 48);
    ck_assert_uint_eq(tallies[CFP].clips, 35);
}

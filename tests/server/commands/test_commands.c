/*
 * The commands as a user runs them: exit statuses, the one line on standard error, and that extract never leaves its
 * folder.
 */
#include "pose.h"
#include "tests/support/tso_files.h"
#include "tests/support/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64]; /* of the test, and its working directory */
static char out[1 << 16], errors[1 << 12];

static void enter_folder(void)
{
    strcpy(folder, "/tmp/posed-commands-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    setenv("PATH", POSED_BINARY_DIR "/server:/usr/bin:/bin", 1);
    unsetenv("POSED_LISTEN");
}

static void leave_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file, "%s", path);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

/* "" when it is not there. */
static void read_text(const char *path, char *text, size_t capacity)
{
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, capacity - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
}

static bool holds(const char *path, const char *wanted)
{
    char text[1024];
    read_text(path, text, sizeof text);
    return !strcmp(text, wanted);
}

/* Runs a command line of the shell; its exit status. What it wrote is in out and errors. */
static int run(const char *line)
{
    char command[1024];
    snprintf(command, sizeof command, "(%s) >.out 2>.err </dev/null", line);
    int status = system(command);
    read_text(".out", out, sizeof out);
    read_text(".err", errors, sizeof errors);
    ck_assert_msg(WIFEXITED(status), "%s: %s", line, errors);
    return WEXITSTATUS(status);
}

static void succeeds(const char *line)
{
    int status = run(line);
    ck_assert_msg(status == 0, "%s: %d, %s", line, status, errors);
    ck_assert_msg(!*errors, "%s: %s", line, errors);
}

/* With that status and exactly that on standard error. */
static void fails(const char *line, int status, const char *message)
{
    ck_assert_msg(run(line) == status, "%s: %s", line, errors);
    ck_assert_str_eq(errors, message);
    ck_assert_msg(!*out, "%s: %s", line, out);
}

static void pack_names(const char *path, const char *format, const char *const *names, uint32_t count)
{
    struct pose_pack_item items[8];
    struct pose_buffer bytes = {0};
    struct pose_error error;
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct pose_pack_item){names[i], {(const uint8_t *)names[i], strlen(names[i])}};
    ck_assert_msg(pose_pack(format, items, count, NULL, NULL, &bytes, &error), "%s", error.detail);
    write_file(path, bytes.data, bytes.size);
    pose_buffer_free(&bytes);
}

static void write_clip(const char *path)
{
    struct tso_file clip = {0};
    tso_make_anim(&clip);
    write_file(path, clip.data, clip.size);
}

/* ----------------------------------------------------------------------------------------------------- frame -- */

static const char *const commands[] = {"serve", "ls", "info", "sample", "extract", "pack", "health"};

FIXTURE(enter_folder, leave_folder);

TEST(help_and_version)
{
    succeeds("posed --version");
    char wanted[32];
    ck_assert_int_eq(
        strncmp(out, wanted, (size_t)snprintf(wanted, sizeof wanted, "posed %s ", pose_version())), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[64];
        succeeds("posed --help");
        snprintf(line, sizeof line, "\n  %s ", commands[i]);
        ck_assert_msg(strstr(out, line), "%s is missing in\n%s", commands[i], out);
        snprintf(line, sizeof line, "posed %s --help", commands[i]);
        succeeds(line);
        ck_assert_msg(strstr(out, commands[i]) == out + strlen("usage: posed "), "%s", out);
    }
}

TEST(a_bad_command_line_is_status_2)
{
    ck_assert_int_eq(run("posed"), 2);
    fails("posed dance", 2, "posed: dance: no such command; see posed --help\n");
    fails("posed --verison", 2, "posed: --verison: no such option; did you mean \"--version\"?\n");
    fails("posed sample a --joints b", 2, "posed: --joints: no such option; see posed sample --help\n");
    fails("posed preview a b.png --width 9", 2, "posed: --width: no such option; see posed preview --help\n");
    fails("posed info .", 1, "posed: .: is a folder; posed ls lists what is in it\n");
    fails("posed info - </dev/null", 1, "posed: standard input: the input is empty\n");
    fails("posed ls", 2, "posed: ls takes PATH...; see posed ls --help\n");
    fails("posed info a b c", 2, "posed: info takes FILE [ENTRY]; see posed info --help\n");
    fails("posed ls --jsn .", 2, "posed: --jsn: no such option; did you mean \"--json\"?\n");
    fails("posed serve --cache-size 12Q", 2, "posed: --cache-size: \"12Q\" is not a size such as 256M\n");
    fails("POSED_LOG=loud posed serve", 2, "posed: POSED_LOG: \"loud\" is not one of text|json\n");
    fails("posed extract a.far", 2, "posed: extract needs --to DIR\n");
    fails("posed sample x --t soon", 2, "posed: --t: \"soon\" is not a number\n");
    fails("posed preview a b.png --angle left", 2,
          "posed: --angle: left is not one of front, side, three-quarter, top\n");
    for (const char *const *size = (const char *const[]){"32", "8x32", "32x4096", "32x32x", NULL}; *size;
         size++) {
        char line[64], message[96];
        snprintf(line, sizeof line, "posed preview a b.png --size %s", *size);
        snprintf(message, sizeof message, "posed: --size: %s is not WxH, of 16 to 2048 pixels each\n", *size);
        fails(line, 2, message);
    }
    fails("posed preview a b.png --background pink", 2,
          "posed: --background: pink is not one of transparent, white, black, rrggbb, rrggbbaa\n");
    fails("posed health https://there", 2, "posed: https://there: not a URL such as http://127.0.0.1:8080\n");
    ck_assert_int_eq(run("posed pack a.xyz b"), 2);
    ck_assert_msg(strstr(errors, "posed: the extension of a.xyz does not name a format; --format is one of "),
                  "%s", errors);
    ck_assert_int_eq(run("posed pack a.far --format gltf b"), 2);
    ck_assert_msg(strstr(errors, "posed: --format: gltf is not one of "), "%s", errors);
}

TEST(the_manual_has_every_command_and_option)
{
    static char manual[1 << 15];
    read_text(POSED_SOURCE_DIR "/server/packaging/posed.1", manual, sizeof manual);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char line[96], option[64];
        snprintf(line, sizeof line, "\n.It Cm %s ", commands[i]);
        ck_assert_msg(strstr(manual, line), "%s is missing", commands[i]);
        snprintf(line, sizeof line, "posed %s --help", commands[i]);
        succeeds(line);
        for (const char *at = out; (at = strstr(at, "\n  --"));) {
            ck_assert_int_eq(sscanf(at, "\n  -%63s", option), 1);
            at += 4;
            snprintf(line, sizeof line, "Fl %s", option);
            ck_assert_msg(strstr(manual, line), "%s of %s is missing", option, commands[i]);
        }
    }
    /* Of targets it says where they are listed, so that a new one needs no line in it. */
    succeeds("posed convert --help");
    for (const struct pose_target *target = pose_targets(); target->word; target++)
        ck_assert_msg(strstr(out, target->word), "the target %s is missing", target->word);
    if (system("command -v mandoc >/dev/null 2>&1")) {
        fputs("SKIPPED: mandoc is not installed\n", stderr);
        return;
    }
    succeeds("mandoc -T lint -W warning " POSED_SOURCE_DIR "/server/packaging/posed.1");
}

TEST(what_is_missing_is_status_1)
{
    fails("posed ls gone", 1, "posed: gone: No such file or directory\n");
    fails("posed info gone", 1, "posed: gone: No such file or directory\n");
    fails("posed sample gone", 1, "posed: gone: No such file or directory\n");
    fails("posed extract gone --to x", 1, "posed: gone: No such file or directory\n");
    fails("posed pack x.far gone", 1, "posed: gone: No such file or directory\n");
    ck_assert_int_ne(access("x.far", F_OK), 0);
}

TEST(output_that_cannot_be_written_is_an_error)
{
    write_text("a.txt", "a");
    ck_assert_int_eq(run("posed ls a.txt >/dev/full"), 1);
    ck_assert_str_eq(errors, "posed: standard output: cannot be written\n");
}

/* ----------------------------------------------------------------------------------------------- ls and info -- */

TEST(ls_aligns_its_columns)
{
    ck_assert_int_eq(mkdir("in", 0777), 0);
    write_clip("in/walk.anim");
    write_text("in/a\nb.txt", "four");
    succeeds("posed pack a.far in && posed ls a.far");
    struct stat status;
    char wanted[128];
    ck_assert_int_eq(stat("in/walk.anim", &status), 0);
    int width = snprintf(wanted, sizeof wanted, "%lld", (long long)status.st_size);
    snprintf(wanted, sizeof wanted,
             "0  %*d  other  -         a\\x0ab.txt\n1  %lld  clip   tso-anim  walk.anim\n", width, 4,
             (long long)status.st_size);
    ck_assert_str_eq(out, wanted);
}

TEST(ls_as_json_is_the_list_of_the_api)
{
    ck_assert_int_eq(mkdir("in", 0777), 0);
    write_text("in/a.txt", "four");
    succeeds("posed pack a.far in && posed ls --json a.far");
    ck_assert_str_eq(
        out, "{\"items\":[{\"index\":0,\"name\":\"a.txt\",\"size\":4,\"kind\":\"other\",\"format\":null}],"
             "\"next\":null,\"total\":1}\n");
    succeeds("posed ls --json a.far in");
    ck_assert_ptr_nonnull(strstr(out, "{\"archive\":\"a.far\",\"index\":0,\"name\":\"a.txt\","));
    ck_assert_ptr_nonnull(strstr(out, "{\"archive\":\"in\",\"index\":0,\"name\":\"a.txt\","));
    ck_assert_ptr_nonnull(strstr(out, "\"total\":2}"));
}

TEST(info_says_what_a_viewer_refuses_once)
{
    static const char said[] = "the avatar has no joint named ";
    write_clip("a2o-test.anim");
    succeeds("posed convert a2o-test.anim sl.anim --to sl-anim 2>/dev/null && posed info sl.anim");
    ck_assert_msg(strstr(out, "\n  sl-viewer: would refuse it\n    offset 0x"), "%s", out);
    const char *first = strstr(out, said);
    ck_assert_ptr_nonnull(first);
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(first, "\n"), first);
    ck_assert_msg(!strstr(first + 1, line), "%s", out);
}

TEST(info_says_what_a_file_is)
{
    write_clip("a2o-test.anim");
    succeeds("posed info a2o-test.anim");
    ck_assert_msg(strstr(out, "a2o-test.anim: tso-anim ("), "%s", out);
    ck_assert_msg(strstr(out, "\n  clip a2o-test: 1 s, "), "%s", out);
    succeeds("posed info --json a2o-test.anim");
    ck_assert_ptr_nonnull(strstr(out, "\"duration\":1,"));
    succeeds("posed pack a.far a2o-test.anim && posed info a.far && posed info a.far a2o-test.anim");
    ck_assert_msg(strstr(out, "a.far: far1a (FAR archive of The Sims), "), "%s", out);
    ck_assert_msg(strstr(out, "\na.far: a2o-test.anim: tso-anim ("), "%s", out);
    fails("posed info a.far 1", 1, "posed: a.far: has no entry 1\n");
    fails("posed info a.far a2o-tets.anim", 1,
          "posed: a.far: has no entry a2o-tets.anim; did you mean \"a2o-test.anim\"?\n");
    write_text("a.txt", "neither a clip nor an archive");
    fails("posed info a.txt", 1,
          "posed: a.txt: the bytes are of no known format, and no name or format tells what they were meant "
          "to be\n");
    ck_assert_int_eq(run("posed convert a2o-test.anim a.xyz"), 2);
    ck_assert_msg(strstr(errors, "posed: a.xyz: no format ends in .xyz; --to is one of glb, gltf, ") ==
                      errors,
                  "%s", errors);
    for (const struct pose_target *target = pose_targets(); target->word; target++)
        ck_assert_msg(strstr(errors, target->word), "%s lacks %s", errors, target->word);
}

TEST(a_broken_file_is_told_with_its_place)
{
    struct tso_file clip = {0};
    tso_make_anim(&clip);
    write_file("a.anim", clip.data, tso_at(&clip, "motion_count") + 30);
    ck_assert_int_eq(run("posed info a.anim"), 1);
    unsigned offset;
    ck_assert_msg(sscanf(errors, "posed: a.anim: offset 0x%x: ", &offset) == 1, "%s", errors);
    ck_assert_msg(!strstr(errors, "at byte"), "%s", errors); /* the place once is enough */
    ck_assert_int_eq(run("posed sample a.anim"), 1);
    ck_assert_msg(strstr(errors, "posed: a.anim: offset 0x"), "%s", errors);
}

/* --------------------------------------------------------------------------------------------------- sample -- */

TEST(sample_answers_as_the_api_does)
{
    write_clip("a2o-test.anim");
    succeeds("posed sample a2o-test.anim --t 0 --skeleton none --axes native");
    ck_assert_msg(
        strstr(out, "\"t\":0,\"space\":\"local\",\"axes\":\"native\",\"skeleton\":null,\"joints\":[{\"name\":"
                    "\"ROOT\""),
        "%s", out);
    succeeds("posed sample a2o-test.anim --t 1e20 --skeleton none --wrap clamp");
    ck_assert_msg(strstr(out, "\"t\":1,"), "%s", out);
    fails("posed sample a2o-test.anim --clip other", 1,
          "posed: a2o-test.anim: holds no clip of the name other but a2o-test\n");
    fails("posed sample a2o-test.anim --skeleton a2o-test.anim", 1,
          "posed: a2o-test.anim: holds no skeleton\n");
    ck_assert_int_eq(run("posed sample a2o-test.anim --skeleton none --space model"), 1);
}

TEST(sample_takes_a_skeleton_and_a_clip_by_name)
{
    struct tso_file skeleton = {0};
    tso_make_skel(&skeleton);
    write_file("figure.skel", skeleton.data, skeleton.size);
    write_clip("a2o-test.anim");
    struct tso_file other = {0};
    tso_make_anim(&other);
    tso_set_f32(&other, "distance", 3);
    write_file("b.anim", other.data, other.size);
    succeeds("posed sample a2o-test.anim --skeleton figure.skel --space model");
    ck_assert_msg(strstr(out, "\"matrix\":["), "%s", out);
    succeeds("posed pack a.far a2o-test.anim figure.skel && posed sample a.far");
    ck_assert_msg(!strstr(out, "\"skeleton\":null"), "%s", out); /* of its own archive */
    succeeds("posed pack b.far a2o-test.anim b.anim");
    ck_assert_int_eq(run("posed sample b.far"), 1);
    ck_assert_msg(strstr(errors, "holds several clips; --clip is one of "), "%s", errors);
    fails("posed sample b.far --clip a2o-test", 1, "posed: b.far: holds 2 clips of the name a2o-test\n");
    succeeds("posed sample b.far --clip b.anim");
}

/* ------------------------------------------------------------------------------------------- pack and extract -- */

TEST(what_is_packed_comes_out_again)
{
    ck_assert_int_eq(
        system("mkdir -p in/sub && head -c 100000 /dev/urandom >in/sub/big && echo small >in/small"), 0);
    static const char *const names[] = {"a.far", "a.dat", "a.zip"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[256];
        snprintf(line, sizeof line, "posed pack %s in && posed extract %s --to %s.out && diff -r in %s.out",
                 names[i], names[i], names[i], names[i]);
        succeeds(line);
    }
    succeeds("posed ls --json a.dat && posed info a.dat");
    ck_assert_ptr_nonnull(strstr(out, "a.dat: far3 ("));
    succeeds("posed pack one.far in/small && posed extract one.far small --to one");
    ck_assert(holds("one/small", "small\n"));
    fails("posed pack two.far in/small in", 1, "posed: small: two files would have this name\n");
    fails("posed extract one.far big --to two", 1, "posed: one.far: has no entry big\n");
    fails("posed extract one.far samll --to two", 1,
          "posed: one.far: has no entry samll; did you mean \"small\"?\n");
    ck_assert_int_ne(access("two", F_OK), 0);
}

TEST(extract_takes_names_and_indices)
{
    static const char *const names[] = {"a", "b/c", "0"};
    pack_names("x.far", "far1a", names, 3);
    succeeds("posed extract x.far b/c 0 --to d"); /* "0" is a name, and names win */
    ck_assert(holds("d/b/c", "b/c"));
    ck_assert(holds("d/0", "0"));
    ck_assert(!holds("d/a", "a"));
    succeeds("posed ls x.far | grep ' a$' | posed extract x.far $(cut -d' ' -f1 | sed 's/^0$/a/') --to e");
    ck_assert(holds("e/a", "a"));
    succeeds("posed extract x.far 1 --to f"); /* no name: an index */
    succeeds("ls f && test $(find f -type f | wc -l) = 1");
}

TEST(a_name_that_repeats_gets_its_index)
{
    static const char *const names[] = {"a/walk.anim", "a/walk.anim", "b", "b"};
    pack_names("x.far", "far1a", names, 4);
    succeeds("posed extract x.far --to d && find d -type f | sort");
    ck_assert_str_eq(out, "d/a/walk (1).anim\nd/a/walk.anim\nd/b\nd/b (3)\n");
}

/* An entry of that name is refused, and the rest still comes out. */
static void is_refused(const char *name)
{
    const char *names[] = {"good", name};
    pack_names("evil.far", "far1a", names, 2);
    ck_assert_int_eq(system("rm -rf deep && mkdir -p deep/d"), 0);
    ck_assert_msg(run("posed extract evil.far --to deep/d") == 1, "%s was taken", name);
    ck_assert_msg(strstr(errors, "the name leads out of the folder"), "%s: %s", name, errors);
    ck_assert_int_eq(run("find . -path ./deep/d -prune -o -type f -newer evil.far -print | grep -v '^./\\.'"),
                     1);
    ck_assert(holds("deep/d/good", "good"));
}

TEST(extract_never_leaves_its_folder_by_name)
{
    is_refused("../evil");
    is_refused("a/../../evil");
    is_refused("a/..");
    is_refused("..");
    is_refused("/tmp/posed-commands-evil");
    is_refused(".");
    is_refused("a/");
    is_refused("a/.");
    ck_assert_int_ne(access("/tmp/posed-commands-evil", F_OK), 0);
}

TEST(extract_never_leaves_its_folder_by_links)
{
    static const char *const names[] = {"link/evil", "file", "loop/x/y"};
    pack_names("evil.far", "far1a", names, 3);
    ck_assert_int_eq(system("mkdir -p d outside && ln -s ../outside d/link && echo mine >outside/file && "
                            "ln -s ../outside/file d/file && ln -s loop d/loop"),
                     0);
    ck_assert_int_eq(run("posed extract evil.far --to d"), 1);
    ck_assert_int_ne(access("outside/evil", F_OK), 0);
    ck_assert(holds("outside/file", "mine\n"));
    ck_assert(holds("d/file", "file")); /* took the link's place */
    struct stat status;
    ck_assert_int_eq(lstat("d/file", &status), 0);
    ck_assert(S_ISREG(status.st_mode));
    ck_assert_msg(strstr(errors, "posed: evil.far: link/evil: "), "%s", errors);
    ck_assert_msg(strstr(errors, "posed: evil.far: loop/x/y: "), "%s", errors);
}

TEST(extract_leaves_nothing_half_done)
{
    static const char *const names[] = {"sub", "sub/file"};
    pack_names("x.far", "far1a", names, 2);
    ck_assert_int_eq(run("posed extract x.far --to d"), 1); /* sub is a file and cannot be a folder */
    ck_assert(holds("d/sub", "sub"));
    succeeds("test $(find d | wc -l) = 2");
    ck_assert_int_eq(system("rm -rf d && mkdir -p d/sub/file"), 0);
    ck_assert_int_eq(run("posed extract x.far --to d"), 1);
    succeeds("test $(find d -type f | wc -l) = 0");
}

TEST(control_characters_become_underscores)
{
    static const char *const names[] = {"a\nb\x1b[2Jc"};
    pack_names("x.far", "far1a", names, 1);
    succeeds("posed extract x.far --to d && ls d");
    ck_assert_str_eq(out, "a_b_[2Jc\n");
}

/* --------------------------------------------------------------------------------------------------- health -- */

TEST(health_asks_a_daemon)
{
    int status = run("posed serve --listen 127.0.0.1:0 >serve.out 2>serve.err & daemon=$!\n"
                     "for i in $(seq 200); do grep -q listening serve.out && break; sleep 0.05; done\n"
                     "url=$(sed -n 's/.*on //p' serve.out)\n"
                     "posed health $url && posed health $url/ && posed health ${url#http://} && "
                     "POSED_LISTEN=${url#http://} posed health; first=$?\n"
                     "posed health $url/nowhere; second=$?\n"
                     "kill $daemon; wait $daemon\n"
                     "posed health $url; echo $first $second $?");
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(out, "0 1 1\n");
    ck_assert_msg(strstr(errors, "/nowhere: not ready: 404 "), "%s", errors);
    ck_assert_msg(strstr(errors, ": Connection refused\n"), "%s", errors);
}

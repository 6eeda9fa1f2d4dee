/*
 * The rows of the HTTP goals. A server of one loop runs in a process of its own on the first processor, the load on the
 * last one. The same loop serves constant bodies of the same sizes beside the poses, with the headers that a pose has and
 * without, and a pose made by jansson, so that every ratio is taken side by side.
 */
#include "api/dispatch.h"
#include "server/http/http.h"
#include "server/ops/log.h"
#include "server/library/player.h"
#include "server/library/service.h"
#include "tests/bench/bench.h"
#include "tests/bench/load.h"

#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PAIRS = 15,
    COLD_CLIPS = 400,
    TIMES = 64,
    NEW_TIMES = 8192,
    LATENCY_ROUNDS = 5,
    MAX_RUNS = 20,
    BULK_PAIRS = 5,
    BULK_KEYS = 361
};
static const double round_seconds = 0.7, pair_seconds = 0.15, least_seconds = 0.05, bulk_seconds = 0.4,
                    latency_seconds = 0.7;

/* --------------------------------------------------------------------------------------------- the clips -- */

/* A clip that moves every joint of the stand-in of Second Life, written by libpose itself. */
static void write_clip(const char *path, const struct pose_skeleton *skeleton, uint32_t keys, unsigned seed)
{
    uint32_t count = skeleton->joint_count < 133 ? skeleton->joint_count : 133;
    struct pose_track *tracks = calloc(count, sizeof *tracks);
    float *times = calloc(keys, sizeof *times), *values = calloc((size_t)count * keys * 4, sizeof *values);
    for (uint32_t k = 0; k < keys; k++)
        times[k] = (float)k / 30;
    for (uint32_t i = 0; i < count; i++) {
        float *rotations = values + (size_t)i * keys * 4;
        for (uint32_t k = 0; k < keys; k++) {
            float angle = 0.4f * sinf(0.1f * (float)(k + i) + (float)seed);
            rotations[4 * k + i % 3] = sinf(angle / 2);
            rotations[4 * k + 3] = cosf(angle / 2);
        }
        tracks[i].name = skeleton->joints[i].name;
        tracks[i].channels[POSE_ROTATION] = (struct pose_channel){keys, times, rotations};
    }
    float duration = (float)(keys - 1) / 30;
    struct pose_clip clip = {.axes = POSE_AXES_SL,
                             .rules = POSE_RULES_SL,
                             .duration = duration,
                             .loop_out = duration,
                             .track_count = count,
                             .tracks = tracks};
    struct pose_content content = {.clip_count = 1, .clips = &clip};
    struct pose_buffer out = {0};
    struct pose_error error;
    FILE *file = fopen(path, "wb");
    if (!file || !pose_encode("sl-anim", &content, NULL, NULL, NULL, &out, &error) ||
        fwrite(out.data, 1, out.size, file) != out.size) {
        fprintf(stderr, "bench: cannot write %s\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    pose_buffer_free(&out);
    free(tracks);
    free(times);
    free(values);
}

static char folder[64], hot_folder[80], cold_folder[80];

static void write_clips(void)
{
    struct pose_error error;
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/posed-bench-%d", (int)getpid());
    snprintf(hot_folder, sizeof hot_folder, "%s/hot", folder);
    snprintf(cold_folder, sizeof cold_folder, "%s/cold", folder);
    mkdir(folder, 0700);
    mkdir(hot_folder, 0700);
    mkdir(cold_folder, 0700);
    struct pose_document *stand_in = pose_stand_in(0, NULL, &error);
    snprintf(path, sizeof path, "%s/walk.anim", hot_folder);
    write_clip(path, &stand_in->skeletons[0], 64, 0);
    snprintf(path, sizeof path, "%s/bulk.anim", cold_folder);
    write_clip(path, &stand_in->skeletons[0], BULK_KEYS, 0);
    for (unsigned i = 0; i < COLD_CLIPS; i++) {
        snprintf(path, sizeof path, "%s/clip%u.anim", cold_folder, i);
        write_clip(path, &stand_in->skeletons[0], 300, i + 1);
    }
    pose_document_free(stand_in);
}

static void remove_clips(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/walk.anim", hot_folder);
    remove(path);
    snprintf(path, sizeof path, "%s/bulk.anim", cold_folder);
    remove(path);
    for (unsigned i = 0; i < COLD_CLIPS; i++) {
        snprintf(path, sizeof path, "%s/clip%u.anim", cold_folder, i);
        remove(path);
    }
    rmdir(hot_folder);
    rmdir(cold_folder);
    rmdir(folder);
}

/* -------------------------------------------------------------------------------------------- the server -- */

static struct service *service;
static char constant_body[1 << 24]; /* holds all poses of a clip of 12 s as JSON */

/* A pose as a jansson tree: what one would write without a second thought. */
static enum api_outcome answer_jansson(struct api_request *request, struct api_response *response)
{
    struct catalog *catalog = service_enter(service, false, 0);
    struct catalog_item *item = catalog_first(catalog, ASSET_CLIP);
    struct skeleton_choice skeleton = catalog_skeleton(catalog, item);
    struct fetch fetch = {.may_wait = true};
    const struct playing playing = {.clip = item, .skeleton = &skeleton, .axes = POSE_AXES_GLTF};
    struct player *player = player_get(service, catalog, &playing, &fetch);
    uint32_t count = pose_sampler_row_count(player->sampler);
    float *rows = malloc((size_t)count * 10 * sizeof *rows);
    pose_sample(player->sampler, 0.5, POSE_CLAMP, 0, rows, NULL);
    json_t *root = json_object(), *joints = json_array();
    for (uint32_t i = 0; i < count; i++) {
        static const struct {
            const char *name;
            int first, count;
        } parts[] = {{"translation", 0, 3}, {"rotation", 3, 4}, {"scale", 7, 3}};
        const struct pose_row *row = &pose_sampler_rows(player->sampler)[i];
        json_t *joint = json_object();
        json_object_set_new(joint, "name", json_string(row->name));
        json_object_set_new(joint, "id", json_null());
        json_object_set_new(joint, "parent", json_integer(row->parent));
        json_object_set_new(joint, "driven", json_boolean(row->driven));
        for (int part = 0; part < 3; part++) {
            json_t *numbers = json_array();
            for (int k = 0; k < parts[part].count; k++)
                json_array_append_new(numbers,
                                      json_real((double)rows[10 * i + (unsigned)(parts[part].first + k)]));
            json_object_set_new(joint, parts[part].name, numbers);
        }
        json_array_append_new(joints, joint);
    }
    json_object_set_new(root, "joints", joints);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(root);
    free(rows);
    player_put(player);
    service_leave(service, catalog, false);
    (void)request;
    response_init(response, 200);
    response->route = "";
    response_take(response, "application/json", text, strlen(text));
    return API_DONE;
}

/* What stands in a pose's answer beside what libmicrohttpd writes, as it is sent. */
static const char pose_headers[] = "Content-Location\0/v1/clips/f7a02c7744321260fe1b8a006291ed70/"
                                   "pose?t=1.984&as=f32&skeleton=71d218bdd2d2eee3a83070de63d27f54\0"
                                   "ETag\0\"7bf43b9fc14b15f3670d2d3c9d980303\"\0"
                                   "Cache-Control\0no-cache\0"
                                   "Posed-Warning\0stand_in_skeleton\0"
                                   "Posed-Frames\0"
                                   "1\0"
                                   "Posed-Joints\0"
                                   "159\0"
                                   "Access-Control-Allow-Origin\0*\0"
                                   "Access-Control-Expose-Headers\0ETag, Link, Location, Content-Location, "
                                   "Content-Disposition, Retry-After, Server-Timing, X-Request-Id, "
                                   "Posed-Frames, Posed-Joints, Posed-Fps, Posed-Warning, Posed-Error\0"
                                   "Timing-Allow-Origin\0*\0"
                                   "Cross-Origin-Resource-Policy\0cross-origin\0"
                                   "X-Content-Type-Options\0nosniff\0"
                                   "Vary\0Accept, Accept-Encoding\0"
                                   "X-Request-Id\0ad57af4da1e59257\0"
                                   "Server-Timing\0cache;desc=hit, sample;dur=0.005, write;dur=0.001\0";
enum { POSE_HEADERS = 14 };

static bool is_constant(const struct api_request *request)
{
    return !strncmp(request->path, "/constant/", 10) || !strncmp(request->path, "/dressed-/", 10);
}

/* A constant is no business of the API's, which would look for its route in vain. */
static bool admit(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response)
{
    *max_body = 0;
    return is_constant(request) || api_admit(user, request, max_body, response);
}

static enum api_outcome handle(void *user, struct api_request *request, struct api_response *response)
{
    if (is_constant(request)) {
        response_init(response, 200);
        response->route = "";
        if (request->path[1] == 'd')
            response_header_block(response, pose_headers, sizeof pose_headers - 1, POSE_HEADERS);
        response_static(response, "application/octet-stream", constant_body,
                        strtoul(request->path + 10, NULL, 10));
        return API_DONE;
    }
    if (!strcmp(request->path, "/jansson"))
        return answer_jansson(request, response);
    return api_handle(user, request, response);
}

static void pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* The server's process: its port through the pipe, then it serves until it is killed. */
static void serve(int pipe_end)
{
    static struct config config;
    static char *paths[] = {hot_folder, cold_folder, NULL};
    char text[OPTION_ERROR_CAPACITY], *arguments[] = {"serve", NULL};
    struct http_options options = {.listen = "127.0.0.1:0",
                                   .listen_fd = -1,
                                   .threads = 1,
                                   .max_connections = 4096,
                                   .idle_timeout_s = 60,
                                   .request_timeout_s = 60,
                                   .queue_limit = 1024,
                                   .spool_threshold = 1 << 20,
                                   .spool_dir = "/tmp"};
    struct pose_error error;
    bool unsettled;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    config_parse(&config, 1, arguments, getenv, text);
    config.paths = (struct operands){2, paths};
    config.cache_size = 32 << 20; /* the cold clips do not fit */
    service = service_new(&config, api_route_templates());
    service_index(service, &unsettled, &error);
    service->state = SERVICE_READY;
    struct http_application application = {
        .user = service, .admit = admit, .handle = handle, .refuse = api_refuse};
    struct http_server *server = http_open(&options, &application, text, sizeof text);
    if (!server)
        _exit(1);
    int port = atoi(strrchr(http_address(server), ':') + 1);
    if (write(pipe_end, &port, sizeof port) != sizeof port)
        _exit(1);
    http_run(server);
    _exit(0);
}

/* --------------------------------------------------------------------------------------------- the rows -- */

static int port;
static pid_t server;

static struct load_result run_load(const char *const *targets, size_t count, unsigned connections,
                                   double seconds)
{
    struct load load = {port, targets, count, connections, seconds, 0};
    struct load_result result;
    if (!load_run(&load, &result) || result.errors)
        fprintf(stderr, "bench: %u errors at %s\n", result.errors, targets[0]);
    return result;
}

static struct load_result best_of(const char *const *targets, size_t count, unsigned connections)
{
    return run_load(targets, count, connections, round_seconds);
}

static void get_id(const char *target, char id[40])
{
    char command[256], first[33] = "";
    snprintf(command, sizeof command, "curl -s 'http://127.0.0.1:%d%s'", port, target);
    FILE *curl = popen(command, "r");
    char answer[512] = "";
    size_t got = curl ? fread(answer, 1, sizeof answer - 1, curl) : 0;
    answer[got] = 0;
    const char *found = strstr(answer, "\"id\":\"");
    if (found && strlen(found) >= 6 + 32)
        memcpy(first, found + 6, 32);
    snprintf(id, 40, "%s", first);
    if (curl)
        pclose(curl);
}

/* Targets of one clip at times that keep coming back. */
static char (*pose_paths(const char *id, const char *more))[160]
{
    char(*targets)[160] = calloc(TIMES, sizeof *targets);
    for (int i = 0; i < TIMES; i++)
        snprintf(targets[i], sizeof *targets, "/v1/clips/%s/pose?t=%.3f%s", id, 0.032 * ((i * 37) % TIMES),
                 more);
    return targets;
}

/* At so many times that none is remembered when its turn comes again. */
static char (*new_paths(const char *id, const char *more))[160]
{
    char(*targets)[160] = calloc(NEW_TIMES, sizeof *targets);
    for (int i = 0; i < NEW_TIMES; i++)
        snprintf(targets[i], sizeof *targets, "/v1/clips/%s/pose?t=%.5f%s", id,
                 0.00025 * ((i * 37) % NEW_TIMES), more);
    return targets;
}

/* The clip on the adult that is shipped for The Sims. */
static char (*carried_paths(const char *id))[160]
{
    uint32_t count;
    const struct shipped_skeleton *shipped = shipped_skeletons(&count);
    char adult[ID_TEXT] = "", more[80];
    for (uint32_t i = 0; i < count && !*adult; i++) {
        const struct pose_format *format = pose_format_find(shipped[i].document->format);
        if (format && format->family && !strcmp(format->family, "sims"))
            id_write(&shipped[i].asset.id, adult);
    }
    snprintf(more, sizeof more, "&as=f32&retarget=1&onto=%s", adult);
    return pose_paths(id, more);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds of a processor that the server took since it started. */
static double server_seconds(void)
{
    struct timespec time = {0};
    clockid_t clock;
    if (!clock_getcpuclockid(server, &clock))
        clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/*
 * Short runs, until the server had a processor for long enough: where many take turns with it, a run may pass without an
 * answer. Returns the seconds of a processor that it took for one; the result is of the last run.
 */
static double cost_of(const char *const *targets, size_t count, struct load_result *result)
{
    double before = server_seconds(), taken = 0, answers = 0;
    result->answers = 0;
    for (int run = 0; run < MAX_RUNS && (taken < least_seconds || !(result->answers > 0)); run++) {
        *result = run_load(targets, count, 64, pair_seconds);
        answers += result->answers;
        taken = server_seconds() - before;
    }
    return answers > 0 ? taken / answers : HUGE_VAL;
}

/* Of neighbouring runs: how much longer one took than the other. */
struct ratios {
    double of[PAIRS];
};

static double middle_of(struct ratios *ratios)
{
    qsort(ratios->of, PAIRS, sizeof *ratios->of, by_size);
    return ratios->of[PAIRS / 2];
}

static double constant_cost(const char *form, double bytes, struct load_result *result)
{
    char target[64];
    const char *list[] = {target};
    snprintf(target, sizeof target, form, bytes);
    return cost_of(list, 1, result);
}

/*
 * Short runs in turn: the row, a constant body of its size with the headers of a pose, and one without. What is compared
 * is the time of a processor that the server takes for an answer, which is the rate where it has one for itself, and
 * holds where others take turns with it. The ratios are the medians of those of neighbours; rates are the best ones.
 */
static void compare_row(const char *title, char (*targets)[160], size_t count, const char *goal)
{
    const char **list = calloc(count, sizeof *list);
    double rate = 0, constant_rate = 0, p99 = 0, bytes = 0;
    struct ratios dressed, bare;
    for (size_t i = 0; i < count; i++)
        list[i] = targets[i];
    for (int pair = 0; pair < PAIRS; pair++) {
        struct load_result pose, plain;
        const double cost = cost_of(list, count, &pose);
        bytes = pose.bytes;
        bare.of[pair] = constant_cost("/constant/%.0f", bytes, &plain) / cost;
        dressed.of[pair] = constant_cost("/dressed-/%.0f", bytes, &plain) / cost;
        p99 = pair == 0 || pose.p99_us < p99 ? pose.p99_us : p99;
        rate = fmax(rate, pose.rate);
        constant_rate = fmax(constant_rate, plain.rate);
    }
    const double ratio = middle_of(&dressed);
    printf("  %-34s %7.0f/s  constant of %6.0f B %7.0f/s  ratio %.3f (%.3f to %.3f, to one without headers "
           "%.3f)  p99 %5.0f us  (goal %s)\n",
           title, rate, bytes, constant_rate, ratio, dressed.of[PAIRS / 4], dressed.of[PAIRS - 1 - PAIRS / 4],
           middle_of(&bare), p99, goal);
    free(list);
}

/* Bytes of answers for a second of a processor of the server: of one client, whose answer at the end is not whole. */
static double bytes_of(const char *target, struct load_result *result)
{
    double before = server_seconds(), received = 0, taken = 0;
    for (int run = 0; run < MAX_RUNS && (taken < least_seconds || !(result->answers > 0)); run++) {
        *result = run_load(&target, 1, 1, bulk_seconds);
        received += result->received;
        taken = server_seconds() - before;
    }
    return taken > 0 ? received / taken : 0;
}

/* All poses of the clip of 12 s in one answer, beside a constant body of its size in turn. */
static void compare_bulk(const char *title, const char *id, const char *form, const char *goal)
{
    char target[160], constant[64];
    double rate = 0, constant_rate = 0, bytes = 0, ratios[BULK_PAIRS];
    snprintf(target, sizeof target, "/v1/clips/%.39s/poses?fps=30&as=%s", id, form);
    for (int pair = 0; pair < BULK_PAIRS; pair++) {
        struct load_result poses = {0}, plain = {0};
        const double of_poses = bytes_of(target, &poses);
        bytes = poses.bytes;
        snprintf(constant, sizeof constant, "/constant/%.0f", bytes);
        const double of_constant = bytes_of(constant, &plain);
        ratios[pair] = of_poses / of_constant;
        rate = fmax(rate, of_poses);
        constant_rate = fmax(constant_rate, of_constant);
    }
    qsort(ratios, BULK_PAIRS, sizeof *ratios, by_size);
    printf("  %-30s %9.0f MB/s  constant of %8.0f B %6.0f MB/s  ratio %.3f (%.3f to %.3f)  (goal %s MB/s)\n",
           title, rate / 1e6, bytes, constant_rate / 1e6, ratios[BULK_PAIRS / 2], ratios[0],
           ratios[BULK_PAIRS - 1], goal);
}

static void compare_bulks(void)
{
    char id[40];
    get_id("/v1/clips?name=bulk", id);
    printf("all poses of 12 s of the stand-in of Second Life, bytes a second of a processor\n");
    compare_bulk("poses as f32", id, "f32", "2000");
    compare_bulk("poses as f16", id, "f16", "none");
    compare_bulk("poses as snorm16", id, "snorm16", "none");
    compare_bulk("poses as JSON", id, "json", "250");
}

static void compare_connections(char (*targets)[160])
{
    static const unsigned counts[] = {64, 128, 256, 512, 1024};
    const char *list[TIMES];
    for (int i = 0; i < TIMES; i++)
        list[i] = targets[i];
    double first = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct load_result result = best_of(list, TIMES, counts[i]);
        first = i ? first : result.rate;
        printf("  %4u connections %30.0f/s  ratio to 64 %.3f  errors %u\n", counts[i], result.rate,
               result.rate / first, result.errors);
    }
}

/* Clients that keep asking, in a process of their own. */
static pid_t start_clients(const char *const *targets, size_t count, unsigned connections)
{
    pid_t child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct load load = {port, targets, count, connections, 3600, 0};
    struct load_result result;
    load_run(&load, &result);
    _exit(0);
}

/* 64 readers of streams of all poses, and a client that asks for one cached pose after the other. */
static void compare_streams(char (*targets)[160], const char *id)
{
    char stream[160];
    const char *list[TIMES];
    for (int i = 0; i < TIMES; i++)
        list[i] = targets[i];
    snprintf(stream, sizeof stream, "/v1/clips/%.39s/poses?fps=600&space=model&as=f32", id);
    struct load load = {port, list, TIMES, 1, 2, 0};
    struct load_result alone, beside;
    load_run(&load, &alone);
    pid_t clients = start_clients((const char *const[]){stream}, 1, 64);
    usleep(300 * 1000);
    load_run(&load, &beside);
    kill(clients, SIGKILL);
    waitpid(clients, NULL, 0);
    printf("  p99 of one client: alone %.0f us, beside 64 streams %.0f us, ratio %.2f (goal 10)\n",
           alone.p99_us, beside.p99_us, beside.p99_us / alone.p99_us);
}

/* What strangers ask for: each target is of another clip, so that it is not in the cache when its turn comes again. */
static const char *const cold_poses[] = {"/v1/clips/%.39s/pose?as=f32"},
                         *const cold_work[] = {"/v1/clips/%.39s.glb", "/v1/clips/%.39s.bvh",
                                               "/v1/clips/%.39s/preview.png",
                                               "/v1/clips/%.39s/preview.webp?width=192"};

/* Four clients that keep asking for clips that are not in the cache, in a process of their own. */
static pid_t start_cold_clients(char (*ids)[40], unsigned count, const char *const *forms,
                                unsigned form_count)
{
    const char **targets = calloc(count, sizeof *targets);
    char(*texts)[160] = calloc(count, sizeof *texts);
    for (unsigned i = 0; i < count; i++) {
        snprintf(texts[i], sizeof *texts, forms[i % form_count], ids[i]);
        targets[i] = texts[i];
    }
    pid_t child = start_clients(targets, count, 4);
    free(targets);
    free(texts);
    return child;
}

/* The p99 of a load while those clients are there. */
static double p99_beside(pid_t clients, const struct load *load)
{
    struct load_result busy;
    usleep(200 * 1000);
    load_run(load, &busy);
    kill(clients, SIGKILL);
    waitpid(clients, NULL, 0);
    return busy.p99_us;
}

static double median_of(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/* Rounds of the load alone, beside poses and beside other work, since a p99 is easily spoilt: the medians count. */
static void compare_latency(char (*targets)[160], double peak, char (*cold)[40], unsigned cold_count)
{
    const char *list[TIMES];
    double idle[LATENCY_ROUNDS], poses[LATENCY_ROUNDS], work[LATENCY_ROUNDS];
    for (int i = 0; i < TIMES; i++)
        list[i] = targets[i];
    struct load load = {port, list, TIMES, 64, latency_seconds, peak / 2};
    for (int round = 0; round < LATENCY_ROUNDS; round++) {
        struct load_result alone;
        load_run(&load, &alone);
        idle[round] = alone.p99_us;
        poses[round] = p99_beside(start_cold_clients(cold, cold_count, cold_poses, 1), &load);
        work[round] = p99_beside(start_cold_clients(cold, cold_count, cold_work, 4), &load);
    }
    const double alone = median_of(idle, LATENCY_ROUNDS), beside_poses = median_of(poses, LATENCY_ROUNDS),
                 beside_work = median_of(work, LATENCY_ROUNDS);
    printf("  p99 open loop at %.0f/s: idle %.0f us (%.0f to %.0f)\n"
           "    beside four clients of cold clips %.0f us, ratio %.2f (goal 2)\n"
           "    beside four of conversions and pictures %.0f us, ratio %.2f (goal 3)\n",
           peak / 2, alone, idle[0], idle[LATENCY_ROUNDS - 1], beside_poses, beside_poses / alone,
           beside_work, beside_work / alone);
}

static unsigned cold_ids(char (*ids)[40])
{
    unsigned count = 0;
    for (unsigned i = 0; i < COLD_CLIPS; i++) {
        char target[64];
        snprintf(target, sizeof target, "/v1/clips?name=clip%u", i);
        get_id(target, ids[count]);
        count += ids[count][0] != 0;
    }
    return count;
}

static void run_rows(void)
{
    char id[40];
    static char ids[COLD_CLIPS][40];
    const char *jansson[] = {"/jansson"};
    get_id("/v1/clips?name=walk", id);
    char(*floats)[160] = pose_paths(id, "&as=f32"), (*texts)[160] = pose_paths(id, "");
    char(*new_floats)[160] = new_paths(id, "&as=f32"), (*new_texts)[160] = new_paths(id, "");
    char(*carried)[160] = carried_paths(id);
    best_of((const char *const[]){floats[0], texts[0]}, 2, 1);
    printf("cached poses of one clip, one loop, 64 connections\n");
    compare_row("pose as f32", floats, TIMES, "0.9");
    compare_row("pose as JSON", texts, TIMES, "0.6");
    compare_row("pose as f32, at new times", new_floats, NEW_TIMES, "none");
    compare_row("pose as JSON, at new times", new_texts, NEW_TIMES, "none");
    compare_row("f32 on another person", carried, TIMES, "0.75");
    struct load_result tree = best_of(jansson, 1, 64);
    printf("  %-30s %9.0f/s\n", "the same through jansson", tree.rate);
    compare_connections(floats);
    const char *first[] = {floats[0]};
    struct load_result peak = best_of(first, 1, 64);
    unsigned count = cold_ids(ids);
    compare_latency(floats, peak.rate, ids, count);
    compare_streams(floats, id);
    free(floats);
    free(texts);
    free(new_floats);
    free(new_texts);
    free(carried);
}

static void run_server(void (*rows)(void))
{
    int ends[2];
    write_clips();
    if (pipe(ends))
        exit(EXIT_FAILURE);
    fflush(stdout);
    server = fork();
    if (!server) {
        pin(0);
        serve(ends[1]);
    }
    close(ends[1]);
    pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
    if (read(ends[0], &port, sizeof port) == sizeof port)
        rows();
    else
        fprintf(stderr, "bench: the server did not start\n");
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    remove_clips();
}

static void run(void)
{
    run_server(run_rows);
}

static void run_bulks(void)
{
    run_server(compare_bulks);
}

const struct bench_part bench_http = {"http", run};
const struct bench_part bench_bulk = {"bulk", run_bulks};

/*
 * Options of a command line: the defaults of the contract, what each kind takes and refuses, who wins, and the one line
 * that says what is wrong.
 */
#include "server/ops/config.h"
#include "tests/support/unit.h"

#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct config config;
static char error[OPTION_ERROR_CAPACITY];

/* The environment of the tests: "NAME=VALUE" …, ended by NULL. */
static const char *const *variables;

static char *look_up(const char *name)
{
    static char value[64];
    for (const char *const *variable = variables; variable && *variable; variable++) {
        size_t length = strlen(name);
        if (!strncmp(*variable, name, length) && (*variable)[length] == '=')
            return strcpy(value, *variable + length + 1);
    }
    return NULL;
}

/* Parses the words after "serve". They must outlive the test: texts point into them. */
static bool parse(const char *const *words)
{
    static char *argv[32], storage[32][128];
    int argc = 0;
    argv[argc++] = strcpy(storage[31], "serve");
    for (; *words; words++, argc++)
        argv[argc] = strcpy(storage[argc], *words);
    argv[argc] = NULL;
    return config_parse(&config, argc, argv, look_up, error);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void setup(void)
{
    variables = NULL;
    *error = '\0';
}

FIXTURE(setup, NULL);

TEST(defaults_are_those_of_the_contract)
{
    ck_assert_msg(parse((const char *const[]){NULL}), "%s", error);
    ck_assert_str_eq(config.listen, "127.0.0.1:8080");
    ck_assert_ptr_null(config.data);
    ck_assert_uint_eq(config.cache_size, 256ull << 20);
    cpu_set_t cores;
    ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
    ck_assert_uint_eq(config.threads, (unsigned)CPU_COUNT(&cores) < 64 ? (unsigned)CPU_COUNT(&cores) : 64);
    ck_assert_uint_eq(config.catalog_cache, 64ull << 20);
    ck_assert_uint_eq(config.max_upload, 64ull << 20);
    ck_assert_uint_eq(config.max_unpacked, 1ull << 30);
    ck_assert_uint_eq(config.max_entries, 100000);
    ck_assert_uint_eq(config.max_path_entries, 10000000);
    ck_assert_uint_eq(config.max_ratio, 200);
    ck_assert_uint_eq(config.max_time_ms, 10000);
    ck_assert_uint_eq(config.max_frames, 100000);
    ck_assert_uint_eq(config.max_store, 0);
    ck_assert_uint_eq(config.max_connections, 4096);
    ck_assert_uint_eq(config.client_share, 25);
    ck_assert_uint_eq(config.max_output, 128 << 20);
    ck_assert(config.rate_limit == 0);
    ck_assert_ptr_null(config.trusted_proxy);
    ck_assert_ptr_null(config.token_file);
    ck_assert_str_eq(config.cors, "*");
    ck_assert_ptr_null(config.allowed_hosts);
    ck_assert_uint_eq(config.idle_timeout_ms, 30000);
    ck_assert_uint_eq(config.request_timeout_ms, 30000);
    ck_assert_uint_eq(config.max_age_s, 31536000);
    ck_assert(!config.no_sandbox);
    ck_assert_uint_eq(config.drain_delay_ms, 0);
    ck_assert_int_eq(config.log, LOG_TEXT);
    ck_assert(!config.check);
    ck_assert_uint_eq(config.paths.count, 0);
    ck_assert_ptr_null(config.paths.items[0]);
}

TEST(options_and_operands_may_be_mixed)
{
    ck_assert(
        PARSE("one", "--cache-size=1G", "two", "--log", "json", "--check", "-", "--", "--three", "--check"));
    ck_assert_uint_eq(config.cache_size, 1ull << 30);
    ck_assert_int_eq(config.log, LOG_JSON);
    ck_assert(config.check);
    static const char *const wanted[] = {"one", "two", "-", "--three", "--check"};
    ck_assert_uint_eq(config.paths.count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(config.paths.items[i], wanted[i]);
    ck_assert_ptr_null(config.paths.items[5]);
}

TEST(the_option_wins_over_the_environment_and_the_last_over_the_first)
{
    static const char *const some[] = {"POSED_CACHE_SIZE=7M", "POSED_LOG=json", "POSED_CHECK=yes",
                                       "POSED_NO_SANDBOX=0",  "POSED_DATA=",    NULL};
    variables = some;
    ck_assert_msg(parse((const char *const[]){NULL}), "%s", error);
    ck_assert_uint_eq(config.cache_size, 7ull << 20);
    ck_assert_int_eq(config.log, LOG_JSON);
    ck_assert(config.check);
    ck_assert(!config.no_sandbox);
    ck_assert_ptr_null(config.data); /* empty is not set */
    ck_assert(PARSE("--cache-size", "8M", "--log=text", "--cache-size", "9M"));
    ck_assert_uint_eq(config.cache_size, 9ull << 20);
    ck_assert_int_eq(config.log, LOG_TEXT);
    static const char *const wrong[] = {"POSED_THREADS=many", NULL};
    variables = wrong;
    ck_assert(!parse((const char *const[]){NULL}));
    ck_assert_msg(PARSE("--threads", "2"), "%s", error); /* what does not count may say anything */
    ck_assert_msg(PARSE("--threads=2"), "%s", error);
    ck_assert(!PARSE("--", "--threads", "2"));
}

TEST(an_error_names_the_variable_that_it_is_in)
{
    static const char *const some[] = {"POSED_IDLE_TIMEOUT=soon", NULL};
    variables = some;
    ck_assert(!parse((const char *const[]){NULL}));
    ck_assert_str_eq(error, "POSED_IDLE_TIMEOUT: \"soon\" is not a time such as 10s or 500ms");
    static const char *const proxy[] = {"POSED_TRUSTED_PROXY=10.0.0.0/8,proxy.example", NULL};
    variables = proxy;
    ck_assert(!parse((const char *const[]){NULL}));
    ck_assert_str_eq(error,
                     "POSED_TRUSTED_PROXY: \"10.0.0.0/8,proxy.example\" is not a list of addresses such as "
                     "127.0.0.1,10.0.0.0/8");
}

TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t size;
    } right[] = {{"1", 1},
                 {"512", 512},
                 {"64K", 65536},
                 {"64k", 65536},
                 {"256M", 256 << 20},
                 {"256MB", 256 << 20},
                 {"256MiB", 256 << 20},
                 {"1G", 1ull << 30},
                 {"2T", 2ull << 40},
                 {"1E", 1ull << 60},
                 {"18446744073709551615", UINT64_MAX}};
    static const char *const wrong[] = {"",
                                        "M",
                                        "12Q",
                                        "1.5G",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 M",
                                        "0x10",
                                        "1GG",
                                        "1Gb ",
                                        "16E",
                                        "18446744073709551616"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(PARSE("--max-upload", right[i].text), "%s", error);
        ck_assert_uint_eq(config.max_upload, right[i].size);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!PARSE("--max-upload", wrong[i]), "%s was taken", wrong[i]);
    ck_assert(!PARSE("--cache-size", "12Q"));
    ck_assert_str_eq(error, "--cache-size: \"12Q\" is not a size such as 256M");
}

TEST(durations)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } right[] = {{"500ms", 500},  {"10s", 10000}, {"10", 10000}, {"2m", 120000},
                 {"1h", 3600000}, {"0", 0},       {"0s", 0}};
    static const char *const wrong[] = {
        "", "s", "1.5s", "-1s", "10 s", "10S", "1d", "1ss", "99999999999999999999s", "18446744073709551615s"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(PARSE("--drain-delay", right[i].text), "%s", error);
        ck_assert_uint_eq(config.drain_delay_ms, right[i].ms);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!PARSE("--drain-delay", wrong[i]), "%s was taken", wrong[i]);
}

TEST(rates)
{
    static const struct {
        const char *text;
        double rate;
    } right[] = {{"off", 0}, {"50/s", 50}, {"50", 50}, {"0.5/s", 0.5}, {"30/m", 0.5}, {"1e2/s", 100}};
    static const char *const wrong[] = {"",    "/s",    "on",    "-1/s", "1/h", "1/ss",
                                        "nan", "inf/s", "1e999", "0x10", " 1"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(PARSE("--rate-limit", right[i].text), "%s", error);
        ck_assert(config.rate_limit == right[i].rate);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!PARSE("--rate-limit", wrong[i]), "%s was taken", wrong[i]);
}

TEST(addresses)
{
    static const char *const right[] = {"127.0.0.1:8080", "0.0.0.0:0",    "[::1]:0",
                                        "[::]:65535",     "[fe80::1]:80", "[::ffff:1.2.3.4]:1"};
    static const char *const wrong[] = {
        "",        "8080",    ":8080",           "127.0.0.1",       "127.0.0.1:",
        "::1:80",  "[::1]",   "localhost:8080",  "127.0.0.1:65536", "127.0.0.1:-1",
        "[]:80",   "[1]:80",  "127.0.0.1:8080x", "[127.0.0.1]:80",  "1.2.3:80",
        "[::1:80", "::1]:80", "127.0.0.1:000080"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(PARSE("--listen", right[i]), "%s", error);
        ck_assert_str_eq(config.listen, right[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!PARSE("--listen", wrong[i]), "%s was taken", wrong[i]);
}

TEST(what_is_wrong_is_said_in_one_line)
{
    static const struct {
        const char *words[3];
        const char *error;
    } cases[] = {
        {{"--threads", "0"}, "--threads: 0 is less than 1"},
        {{"--threads", "65"}, "--threads: 65 is more than 64"},
        {{"--threads", "-1"}, "--threads: \"-1\" is not a whole number"},
        {{"--idle-timeout", "900ms"}, "--idle-timeout: 900ms is less than 1s"},
        {{"--max-time", "25h"}, "--max-time: 25h is more than 86400s"},
        {{"--max-upload", "0"}, "--max-upload: 0 is less than 1"},
        {{"--log", "xml"}, "--log: \"xml\" is not one of text|json"},
        {{"--log", "text|json"}, "--log: \"text|json\" is not one of text|json"},
        {{"--log="}, "--log: \"\" is not one of text|json"},
        {{"--data"}, "--data: a value is missing"},
        {{"--data", "--check"}, "--data: a value is missing"},
        {{"--data="}, "--data: \"\" is not a value"},
        {{"--cache-size"}, "--cache-size: a size such as 256M is missing"},
        {{"--check=no"}, "--check: takes no value"},
        {{"--cache"}, "--cache: no such option; did you mean \"--cache-size\"?"},
        {{"--cache-sizes=1"}, "--cache-sizes: no such option; did you mean \"--cache-size\"?"},
        {{"-v"}, "-v: no such option; see posed serve --help"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(!parse(cases[i].words), "%s was taken", cases[i].words[0]);
        ck_assert_str_eq(error, cases[i].error);
    }
}

TEST(the_help_tells_every_option_its_default_and_its_variable)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    options_print(config_options, true, out);
    fclose(out);
    for (const struct option *option = config_options; option->name; option++) {
        char variable[64] = "POSED_";
        char *to = variable + 6;
        for (const char *at = option->name + 2; *at; at++)
            *to++ = *at == '-' ? '_' : (char)toupper(*at);
        ck_assert_msg(strstr(text, option->name), "%s is missing in\n%s", option->name, text);
        ck_assert_msg(strstr(text, variable), "%s is missing in\n%s", variable, text);
        ck_assert_msg(!option->metavar || strstr(text, option->metavar), "%s", option->name);
    }
    ck_assert_ptr_nonnull(strstr(text, "[256M, POSED_CACHE_SIZE]"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    free(text);
}

/* Numbers of other commands. */
TEST(numbers)
{
    static const struct option options[] = {
        {.name = "--t", .metavar = "S", .kind = OPTION_NUMBER, .member = 0}, {.name = NULL}};
    static const char *const wrong[] = {"", "one", "1s", "nan", "inf", "0x1p3", "1e999", "--1", "1,5", "."};
    struct operands operands;
    double value;
    char *argv[] = {NULL, (char[]){"--t"}, (char[]){"-1.25e-1"}, NULL};
    ck_assert(options_parse(options, &value, 3, argv, NULL, &operands, error));
    ck_assert(value == -0.125);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[16];
        argv[1] = (char[]){"--t"};
        argv[2] = strcpy(text, wrong[i]);
        ck_assert_msg(!options_parse(options, &value, 3, argv, NULL, &operands, error), "%s was taken",
                      wrong[i]);
    }
}

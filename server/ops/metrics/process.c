#include "server/ops/metrics/process.h"

#include "server/ops/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The number of open descriptors, without the one used for counting. */
static uint64_t count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    uint64_t count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1;
}

static uint64_t limit_of(__rlimit_resource_t resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit))
        return 0;
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* statm has page counts: total first, then resident. */
static void measure_memory(struct process_usage *usage)
{
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return;
    unsigned long long total, resident;
    if (fscanf(file, "%llu %llu", &total, &resident) == 2) {
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        usage->virtual_memory = total * page;
        usage->resident_memory = resident * page;
    }
    fclose(file);
}

void process_measure(struct process_usage *usage)
{
    memset(usage, 0, sizeof *usage);
    usage->cpu_ns = clock_cpu_ns();
    measure_memory(usage);
    usage->virtual_memory_most = limit_of(RLIMIT_AS);
    usage->open_fds = count_fds();
    usage->most_fds = limit_of(RLIMIT_NOFILE);
}

/* The machine's boot time in seconds since 1970, from the line "btime N" of /proc/stat. */
static uint64_t machine_started(void)
{
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return 0;
    unsigned long long seconds = 0;
    char line[256];
    while (fgets(line, sizeof line, file) && sscanf(line, "btime %llu", &seconds) != 1)
        ;
    fclose(file);
    return seconds;
}

/* The start time in clock ticks after boot, field 22 of /proc/self/stat. The second field is a name in
 * parentheses that may contain anything, so fields are counted from the last parenthesis. */
static uint64_t started_ticks(void)
{
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return 0;
    char text[1024];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unsigned long long ticks = 0;
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

uint64_t process_started_ns(void)
{
    uint64_t machine = machine_started(), ticks = started_ticks();
    uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
    return machine && ticks ? machine * 1000000000 + ticks * (1000000000 / per_second) : 0;
}

#include "server/ops/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Chunks are cut into slabs, and a slab into blocks of one size. What is larger than MAX_SMALL is mapped by itself. There are
 * MAX_MAPPINGS at most, since a process may have 65,530 (vm.max_map_count). */
enum {
    SLAB = 64 << 10,
    FIRST_CHUNK = 1 << 20,
    MAX_CHUNK = 16 << 20,
    MAX_MAPPINGS = 4096,
    FINE = 16,      /* sizes are multiples of that up to MAX_FINE, */
    MAX_FINE = 512, /* and from there on STEPS to each doubling */
    MAX_FINE_BITS = 9,
    STEP_BITS = 3,
    STEPS = 1 << STEP_BITS,
    MAX_SMALL = 16 << 10,
    CLASS_COUNT = MAX_FINE / FINE + 5 * STEPS
};

/* At the beginning of each slab, whose address is a multiple of SLAB. */
struct slab {
    struct slab *next, *previous; /* of those that have blocks left; of those without any block, next only */
    struct free_block *free;
    uint32_t size;       /* of a block */
    uint32_t made, used; /* blocks that were ever given out, and those that are now */
    alignas(64) unsigned char blocks[];
};

struct free_block {
    struct free_block *next;
};

struct mapping {
    unsigned char *at;
    size_t size;
    off_t offset;
};

static struct {
    pthread_mutex_t lock;
    int fd;
    bool is_full; /* the disk was, lately */
    off_t end;    /* of the file; what is freed before it is a hole */
    size_t size;
    struct slab *partial[CLASS_COUNT]; /* slabs that have blocks left */
    struct slab *empty;                /* slabs without any block */
    unsigned char *chunk;              /* of which no slab was made yet */
    size_t chunk_left, chunk_size;
    uint32_t mapping_count;
    struct mapping mappings[MAX_MAPPINGS];
} spill = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .chunk_size = FIRST_CHUNK};

/* --------------------------------------------------------------------------------------------------- the file -- */

/* Whether what is allocated there can be written whatever happens, which a file system that never writes in place cannot
 * promise: it would end the process by SIGBUS. One in memory gains nothing. */
static bool suits(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status))
        return false;
    const uint64_t type = (uint32_t)status.f_type;
    return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == OVERLAYFS_SUPER_MAGIC;
}

/* A file without a name. */
static int make_file(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/spill-XXXXXX", folder);
    fd = length > 0 && (size_t)length < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd >= 0)
        unlink(path);
    return fd;
}

bool spill_open(const char *folder)
{
    const int fd = make_file(folder);
    if (fd < 0)
        return false;
    if (!suits(fd)) {
        close(fd);
        return false;
    }
    pthread_mutex_lock(&spill.lock);
    spill.fd = fd;
    pthread_mutex_unlock(&spill.lock);
    return true;
}

/* Makes the file longer, so that all of it is on the disk. */
static bool grow_file(size_t size)
{
    int status;
    do
        status = posix_fallocate(spill.fd, spill.end, (off_t)size);
    while (status == EINTR);
    if (!status)
        return true;
    spill.is_full = true;
    /* It may have got some of it. If it stays, later growth finds it there. */
    return ftruncate(spill.fd, spill.end) && false;
}

static void give_back(off_t offset, size_t size)
{
    (void)!fallocate(spill.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, (off_t)size);
}

/* Maps that part of the file at a multiple of SLAB; NULL if there is no room. */
static unsigned char *map_part(off_t offset, size_t size)
{
    unsigned char *room =
        mmap(NULL, size + SLAB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    const size_t before = -(uintptr_t)room & (SLAB - 1);
    unsigned char *at = room + before;
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, spill.fd, offset) == MAP_FAILED) {
        munmap(room, size + SLAB);
        return NULL;
    }
    if (before)
        munmap(room, before);
    munmap(at + size, SLAB - before);
    return at;
}

static unsigned char *add_mapping(size_t size)
{
    if (spill.fd < 0 || spill.is_full || spill.mapping_count == MAX_MAPPINGS || !grow_file(size))
        return NULL;
    const off_t offset = spill.end;
    spill.end += (off_t)size;
    unsigned char *at = map_part(offset, size);
    if (!at) {
        give_back(offset, size);
        return NULL;
    }
    spill.size += size;
    spill.mappings[spill.mapping_count++] = (struct mapping){at, size, offset};
    return at;
}

/* ------------------------------------------------------------------------------------------------ small blocks -- */

static unsigned class_of(size_t size)
{
    if (size <= MAX_FINE)
        return (unsigned)((size + !size + FINE - 1) / FINE - 1);
    const unsigned bits = 63 - (unsigned)__builtin_clzll(size - 1);
    const size_t step = (size - 1 - ((size_t)1 << bits)) >> (bits - STEP_BITS);
    return MAX_FINE / FINE + (bits - MAX_FINE_BITS) * STEPS + (unsigned)step;
}

static uint32_t size_of_class(unsigned class)
{
    if (class < MAX_FINE / FINE)
        return (class + 1) * FINE;
    const unsigned above = class - MAX_FINE / FINE, bits = MAX_FINE_BITS + above / STEPS;
    return (1u << bits) + ((above % STEPS + 1) << (bits - STEP_BITS));
}

static uint32_t most_blocks(const struct slab *slab)
{
    return (uint32_t)((SLAB - sizeof *slab) / slab->size);
}

static void put_in_list(struct slab *slab)
{
    struct slab **list = &spill.partial[class_of(slab->size)];
    slab->previous = NULL;
    slab->next = *list;
    if (*list)
        (*list)->previous = slab;
    *list = slab;
}

static void take_out_of_list(struct slab *slab)
{
    *(slab->previous ? &slab->previous->next : &spill.partial[class_of(slab->size)]) = slab->next;
    if (slab->next)
        slab->next->previous = slab->previous;
}

static struct slab *take_slab(void)
{
    struct slab *slab = spill.empty;
    if (slab) {
        spill.empty = slab->next;
        return slab;
    }
    if (!spill.chunk_left) {
        spill.chunk = add_mapping(spill.chunk_size);
        if (!spill.chunk)
            return NULL;
        spill.chunk_left = spill.chunk_size;
        if (spill.chunk_size < MAX_CHUNK)
            spill.chunk_size *= 2;
    }
    slab = (struct slab *)(void *)spill.chunk;
    spill.chunk += SLAB;
    spill.chunk_left -= SLAB;
    return slab;
}

static struct slab *new_slab(unsigned class)
{
    struct slab *slab = take_slab();
    if (!slab)
        return NULL;
    *slab = (struct slab){.size = size_of_class(class)};
    put_in_list(slab);
    return slab;
}

static void *alloc_small(size_t size)
{
    const unsigned class = class_of(size);
    struct slab *slab = spill.partial[class] ? spill.partial[class] : new_slab(class);
    if (!slab)
        return NULL;
    void *block = slab->free;
    if (block)
        slab->free = slab->free->next;
    else
        block = slab->blocks + (size_t)slab->made++ * slab->size;
    if (++slab->used == most_blocks(slab))
        take_out_of_list(slab);
    return block;
}

static void free_small(void *memory)
{
    struct slab *slab = (struct slab *)((uintptr_t)memory & ~(uintptr_t)(SLAB - 1));
    struct free_block *block = memory;
    block->next = slab->free;
    slab->free = block;
    if (slab->used-- == most_blocks(slab))
        put_in_list(slab);
    if (slab->used)
        return;
    take_out_of_list(slab);
    slab->next = spill.empty;
    spill.empty = slab;
}

/* ------------------------------------------------------------------------------------------------ large blocks -- */

/* Whole pages of any system. */
static size_t room_of(size_t size)
{
    return (size + SLAB - 1) & ~(size_t)(SLAB - 1);
}

static void free_large(const void *memory)
{
    uint32_t i = 0;
    while (spill.mappings[i].at != memory)
        i++;
    const struct mapping mapping = spill.mappings[i];
    spill.mappings[i] = spill.mappings[--spill.mapping_count];
    spill.size -= mapping.size;
    munmap(mapping.at, mapping.size);
    give_back(mapping.offset, mapping.size);
}

/* --------------------------------------------------------------------------------------------------- all sizes -- */

void *spill_alloc(size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    const bool is_small = size <= MAX_SMALL;
    pthread_mutex_lock(&spill.lock);
    void *memory = is_small ? alloc_small(size) : add_mapping(room_of(size));
    pthread_mutex_unlock(&spill.lock);
    /* New parts of the file are zeros. */
    return memory && is_small ? memset(memory, 0, size) : memory;
}

void spill_free(void *memory, size_t size)
{
    if (!memory)
        return;
    pthread_mutex_lock(&spill.lock);
    if (size <= MAX_SMALL)
        free_small(memory);
    else
        free_large(memory);
    pthread_mutex_unlock(&spill.lock);
}

void spill_rest(void)
{
    pthread_mutex_lock(&spill.lock);
    /* What is dirty stays in the page cache until it is written: nothing is lost. */
    for (uint32_t i = 0; i < spill.mapping_count; i++)
        (void)!madvise(spill.mappings[i].at, spill.mappings[i].size, MADV_DONTNEED);
    spill.is_full = false;
    pthread_mutex_unlock(&spill.lock);
}

size_t spill_size(void)
{
    pthread_mutex_lock(&spill.lock);
    const size_t size = spill.size;
    pthread_mutex_unlock(&spill.lock);
    return size;
}

/* Broken pictures are remembered, some of them, by all of their bytes. */
#include "server/library/refused.h"
#include "tests/support/unit.h"

static bool has(const struct pose_refusals *refusals, const uint8_t *data, size_t size)
{
    return refusals->has(refusals->user, (struct pose_bytes){data, size});
}

static void add(const struct pose_refusals *refusals, const uint8_t *data, size_t size)
{
    refusals->add(refusals->user, (struct pose_bytes){data, size});
}

/* The last so many; one that is asked for stays. */
TEST(the_least_recently_used_leaves)
{
    struct refused *refused = refused_new();
    const struct pose_refusals *refusals = refused_get(refused);
    uint8_t first[8] = {0}, second[8] = {0, 0, 1};
    add(refusals, first, 8);
    add(refusals, second, 8);
    for (unsigned i = 1; i < REFUSED_COUNT - 1; i++)
        add(refusals, (uint8_t[8]){(uint8_t)i, (uint8_t)(i >> 8)}, 8);
    ck_assert(has(refusals, first, 8) && has(refusals, second, 8));
    for (unsigned i = REFUSED_COUNT; i < 3 * REFUSED_COUNT; i++) {
        ck_assert(has(refusals, first, 8));
        add(refusals, (uint8_t[8]){(uint8_t)i, (uint8_t)(i >> 8)}, 8);
    }
    ck_assert(!has(refusals, second, 8));
    refused_free(refused);
}

TEST(each_byte_and_the_size_count)
{
    struct refused *refused = refused_new();
    const struct pose_refusals *refusals = refused_get(refused);
    uint8_t picture[33] = {0};
    ck_assert(!has(refusals, picture, 0) && !has(refusals, picture, 33));
    add(refusals, picture, 33);
    ck_assert(has(refusals, picture, 33) && !has(refusals, picture, 32));
    for (int i = 0; i < 33; i++) {
        picture[i] ^= 1;
        ck_assert(!has(refusals, picture, 33));
        picture[i] ^= 1;
    }
    refused_free(refused);
}

/* Two services remember for themselves. */
TEST(none_is_shared)
{
    struct refused *one = refused_new(), *other = refused_new();
    const uint8_t picture[4] = {1};
    add(refused_get(one), picture, 4);
    ck_assert(has(refused_get(one), picture, 4) && !has(refused_get(other), picture, 4));
    refused_free(one);
    refused_free(other);
    refused_free(NULL);
}

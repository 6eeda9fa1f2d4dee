/* What an object store says, right and wrong; what is said to it: places, credentials, the lists of what is to go. */
#include "server/store/s3/dropped.h"
#include "server/store/s3/place.h"
#include "server/store/s3/xml.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST(content)                                                                                        \
    "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" content    \
    "</ListBucketResult>"
#define OBJECT                                                                                               \
    "<Contents><Key>a&amp;b</Key><LastModified>2026-11-23T16:35:00.000Z</LastModified><Size>12</Size>"       \
    "<Owner><ID>Key</ID></Owner></Contents>"

static bool parse_list(const char *text, struct s3_page *page)
{
    return s3_parse_list(text, strlen(text), page);
}

TEST(lists)
{
    struct s3_page page;
    ck_assert(parse_list(LIST("<Prefix>Contents</Prefix>"), &page));
    ck_assert_uint_eq(page.count, 0);
    ck_assert(!page.is_truncated);
    s3_page_release(&page);
    ck_assert(parse_list("\n \t" LIST(OBJECT), &page)); /* a store has kept the connection alive */
    ck_assert_uint_eq(page.count, 1);
    s3_page_release(&page);
}

TEST(lists_of_objects)
{
    struct s3_page page;
    ck_assert(parse_list(
        LIST("<IsTruncated>true</IsTruncated><NextContinuationToken>x/=+</NextContinuationToken>" OBJECT
                 OBJECT),
        &page));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_str_eq(page.objects[1].key, "a&b");
    ck_assert_uint_eq(page.objects[1].size, 12);
    ck_assert_int_eq(page.objects[1].modified_s, 1795451700);
    ck_assert(page.is_truncated);
    ck_assert_str_eq(page.next, "x/=+");
    s3_page_release(&page);
}

TEST(no_lists)
{
    static const char *const texts[] = {
        "",
        "   ",
        "nothing",
        "<ListBucketResult>",
        "<Error><Code>NoSuchBucket</Code></Error>",
        LIST("<IsTruncated>true</IsTruncated>"),
        LIST("<Contents><Key>a</Key></Contents>"),
        LIST("<Contents><LastModified>2026-11-23T16:35:00Z</LastModified></Contents>"),
        LIST("<Contents><Key>a</Key><LastModified>soon</LastModified></Contents>"),
        LIST("<Contents><Key>a</Key><LastModified>2026-11-23T16:35:00Z</LastModified><Size>-1</Size></"
             "Contents>"),
        LIST("<Contents><Key>a</Key><LastModified>2026-11-23T16:35:00Z</LastModified><Size>9999999999999999</"
             "Size>"
             "</Contents>"),
        "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult>&a;</ListBucketResult>",
    };
    struct s3_page page;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!parse_list(texts[i], &page), "%s", texts[i]);
}

TEST(bounded)
{
    enum { LONG = 5000, DEEP = 1000 };
    char *text = malloc(16 * LONG);
    struct s3_page page;
    sprintf(text, "<ListBucketResult><Contents><Key>%0*d</Key></Contents></ListBucketResult>", LONG, 1);
    ck_assert(!parse_list(text, &page));
    strcpy(text, "<ListBucketResult>");
    for (int i = 0; i < DEEP; i++)
        strcat(text, "<a>");
    for (int i = 0; i < DEEP; i++)
        strcat(text, "</a>");
    strcat(text, "</ListBucketResult>");
    ck_assert(parse_list(text, &page));
    s3_page_release(&page);
    free(text);
}

TEST(texts)
{
    static const char text[] =
        "<Error><Code>NoSuchKey</Code><Code>second</Code><In><Message>deep</Message></In></Error>";
    char found[S3_TEXT];
    ck_assert(s3_parse_text(text, strlen(text), "Error", "Code", found));
    ck_assert_str_eq(found, "NoSuchKey");
    ck_assert(!s3_parse_text(text, strlen(text), "Error", "Message", found));
    ck_assert(!s3_parse_text(text, strlen(text), "Other", "Code", found));
    ck_assert(!s3_parse_text(text, strlen(text) - 3, "Error", "Code", found));
}

static bool read_place(struct place *place, const char *blobs, const char *endpoint,
                       struct store_error *error)
{
    const struct object_options options = {.blobs = blobs, .endpoint = endpoint, .region = "eu-west-1"};
    return place_read(place, &options, NULL, error);
}

/* Without credentials no place is whole, but the rest has been read by then. */
TEST(places)
{
    struct place place;
    struct store_error error;
    ck_assert(!read_place(&place, "s3://clips", NULL, &error));
    ck_assert_msg(strstr(error.detail, "no credentials"), "%s", error.detail);
    ck_assert_str_eq(place.bucket, "clips");
    ck_assert_str_eq(place.prefix, "");
    ck_assert_str_eq(place.endpoint, "https://s3.eu-west-1.amazonaws.com");
    ck_assert(!read_place(&place, "s3://clips/a/b.c/", "http://[::1]:9000/", &error));
    ck_assert_str_eq(place.prefix, "a/b.c/");
    ck_assert_str_eq(place.endpoint, "http://[::1]:9000");
    static const char *const wrong[] = {"s3:/clips",       "s3://",       "s3://ab", "s3://clips//a",
                                        "s3://clips/a b",  "clips",       "",        "s3://clips/.",
                                        "s3://clips/../x", "s3://clips?a"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert(!read_place(&place, wrong[i], NULL, &error));
        ck_assert_msg(!strncmp(error.detail, "--blobs", 7), "%s: %s", wrong[i], error.detail);
    }
}

static bool parse(struct place *place, const char *text)
{
    *place = (struct place){0};
    return place_parse_credentials(place, text, strlen(text));
}

TEST(credentials)
{
    struct place place;
    ck_assert(parse(&place, "aws_access_key_id=a:b\n\n ; c\n aws_secret_access_key =  s/=+ \r\nregion = x"));
    ck_assert_str_eq(place.key_id, "a:b");
    ck_assert_str_eq(place.secret, "s/=+");
    ck_assert_str_eq(place.token, "");
    ck_assert(parse(
        &place, "[x]\naws_access_key_id=no\n[default]\naws_access_key_id=yes\n[y]\naws_access_key_id=no"));
    ck_assert_str_eq(place.key_id, "yes");
    ck_assert(!parse(&place, "nothing"));
    ck_assert(!parse(&place, "aws_secret_access_key = two words"));
    ck_assert(!parse(&place, "aws_secret_access_key = \1"));
    char text[4000];
    snprintf(text, sizeof text, "aws_secret_access_key = %0*d", 3000, 1);
    ck_assert(!parse(&place, text));
}

TEST(what_is_to_go)
{
    struct dropped dropped;
    struct blob_hash one = {{1}}, two = {{2}}, found;
    dropped_init(&dropped);
    ck_assert(!dropped_begin(&dropped, 0, &found));
    dropped_add(&dropped, &one);
    dropped_add(&dropped, &two);
    dropped_add(&dropped, &one);
    ck_assert(!dropped_begin(&dropped, 3600 * 1000, &found));
    dropped_forget(&dropped, &one); /* uploaded again */
    ck_assert(dropped_begin(&dropped, 0, &found));
    ck_assert_mem_eq(&found, &two, sizeof two);
    dropped_end(&dropped);
    ck_assert(!dropped_begin(&dropped, 0, &found));
    dropped_release(&dropped);
}

/* Whose address counts behind proxies: only trusted ones are believed, and only what nobody outside can forge. */
#include "api/protocol/forwarded.h"
#include "tests/support/unit.h"

#include <string.h>
#include <strings.h>

struct headers {
    const char *list, *element; /* X-Forwarded-For, Forwarded */
    size_t times;
};

static const char *find(const struct api_request *request, const char *name)
{
    const struct headers *headers = request->transport;
    return !strcasecmp(name, "X-Forwarded-For") ? headers->list
           : !strcasecmp(name, "Forwarded")     ? headers->element
                                                : NULL;
}

static size_t count(const struct api_request *request, const char *name)
{
    const struct headers *headers = request->transport;
    return find(request, name) ? headers->times : 0;
}

static void check(const char *peer, const struct headers *headers, const char *wanted)
{
    struct address_list trusted;
    char client[API_CLIENT_CAPACITY];
    struct api_request request = {
        .client = peer, .header = find, .header_count = count, .transport = headers};
    ck_assert(address_list_parse(&trusted, "127.0.0.1,10.0.0.0/8"));
    forwarded_client(&request, &trusted, client);
    ck_assert_str_eq(client, wanted);
}

#define LIST(text) (&(struct headers){.list = (text), .times = 1})
#define ELEMENT(text) (&(struct headers){.element = (text), .times = 1})

TEST(lists)
{
    check("127.0.0.1", LIST(NULL), "127.0.0.1");
    check("127.0.0.1", LIST("192.0.2.7"), "192.0.2.7");
    check("192.0.2.9", LIST("192.0.2.7"), "192.0.2.9"); /* not trusted */
    check("127.0.0.1", LIST("203.0.113.1, 192.0.2.7"), "192.0.2.7");
    check("127.0.0.1", LIST("203.0.113.1, 192.0.2.7 , 10.1.2.3"), "192.0.2.7");
    check("127.0.0.1", LIST("10.0.0.1,10.0.0.2"), "10.0.0.1");
    check("127.0.0.1", LIST("2001:db8::7"), "2001:db8::7");
    check("127.0.0.1", LIST("[2001:db8::7]:4711"), "2001:db8::7");
    check("127.0.0.1", LIST("192.0.2.7:4711"), "192.0.2.7");
    check("127.0.0.1", LIST("::ffff:192.0.2.7"), "192.0.2.7");
}

TEST(what_is_not_believed)
{
    check("127.0.0.1", LIST("not an address"), "127.0.0.1");
    check("127.0.0.1", LIST(""), "127.0.0.1");
    check("127.0.0.1", LIST("192.0.2.7,"), "127.0.0.1");
    check("127.0.0.1", &(struct headers){.list = "192.0.2.7", .times = 2}, "127.0.0.1");
    check("127.0.0.1", &(struct headers){.list = "192.0.2.7", .element = "for=192.0.2.8", .times = 1},
          "127.0.0.1");
    check("127.0.0.1", ELEMENT("for=_hidden"), "127.0.0.1");
    check("127.0.0.1", ELEMENT("proto=https"), "127.0.0.1");
    check("unix", LIST("192.0.2.7"), "unix");
}

TEST(elements)
{
    check("127.0.0.1", ELEMENT("for=192.0.2.7;proto=http;by=203.0.113.43"), "192.0.2.7");
    check("127.0.0.1", ELEMENT("proto=http; For=\"[2001:db8::7]:4711\""), "2001:db8::7");
    check("127.0.0.1", ELEMENT("for=203.0.113.1, for=192.0.2.7, for=10.0.0.1"), "192.0.2.7");
    check("127.0.0.1", &(struct headers){.list = "192.0.2.7", .element = "for=192.0.2.7", .times = 1},
          "192.0.2.7");
}

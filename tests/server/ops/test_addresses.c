/* Addresses, and lists of them with their networks. */
#include "server/ops/addresses.h"
#include "tests/support/unit.h"

#include <string.h>

static bool holds(const char *text, const char *address)
{
    struct address_list list;
    struct in6_addr parsed;
    ck_assert_msg(address_list_parse(&list, text), "%s", text);
    ck_assert_msg(address_parse(address, strlen(address), &parsed), "%s", address);
    return address_list_holds(&list, &parsed);
}

TEST(lists)
{
    ck_assert(holds("127.0.0.1", "127.0.0.1"));
    ck_assert(holds("127.0.0.1", "::ffff:127.0.0.1"));
    ck_assert(!holds("127.0.0.1", "127.0.0.2"));
    ck_assert(!holds("127.0.0.1", "::1"));
    ck_assert(holds("10.0.0.0/8, ::1", "10.255.1.2"));
    ck_assert(!holds("10.0.0.0/8, ::1", "11.0.0.1"));
    ck_assert(holds("10.0.0.0/8 ,\t[::1]", "::1"));
    ck_assert(holds("192.0.2.128/25", "192.0.2.255"));
    ck_assert(!holds("192.0.2.128/25", "192.0.2.127"));
    ck_assert(holds("2001:db8::/33", "2001:db8:7fff::1"));
    ck_assert(!holds("2001:db8::/33", "2001:db8:8000::1"));
    ck_assert(holds("0.0.0.0/0", "203.0.113.9"));
    ck_assert(!holds("0.0.0.0/0", "2001:db8::1"));
    ck_assert(holds("::/0", "2001:db8::1"));
}

TEST(what_is_none)
{
    static const char *const texts[] = {"",           "localhost", "127.0.0.1,", "127.0.0.1/33", "::1/129",
                                        "127.0.0.1/", "1.2.3",     "1.2.3.4/x",  "1.2.3.4/0008", "[::1"};
    struct address_list list;
    char many[2048] = "1.2.3.4";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!address_list_parse(&list, texts[i]), "%s", texts[i]);
    for (int i = 0; i < ADDRESS_LIST_CAPACITY; i++)
        strcat(many, ",1.2.3.4");
    ck_assert(!address_list_parse(&list, many));
}

/* Addresses of IPv4 and IPv6, and lists of them and of their networks. */
#ifndef POSED_SERVER_OPS_ADDRESSES_H
#define POSED_SERVER_OPS_ADDRESSES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADDRESS_LIST_CAPACITY = 64 };

/* IPv4 as it is written inside IPv6; the first bits of the address that count. */
struct address_network {
    struct in6_addr address;
    unsigned bits;
};

struct address_list {
    unsigned count;
    struct address_network networks[ADDRESS_LIST_CAPACITY];
};

/* "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; the length characters at text alone. */
bool address_parse(const char *text, size_t length, struct in6_addr *address);
/* "10.0.0.0/8,::1": comma-separated, blanks around them do not matter. False when one is none, or there are too many. */
bool address_list_parse(struct address_list *list, const char *text);
/* Who a client's address stands for: an IPv4 address, or the /64 of an IPv6 one, which a household or a server has to
 * itself; IPv4 inside IPv6 is IPv4. Text that is no address has a number of its own, 0. */
uint64_t address_client(const char *client);
bool address_list_holds(const struct address_list *list, const struct in6_addr *address);

#endif

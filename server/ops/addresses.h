/* IPv4 and IPv6 addresses, and lists of addresses and networks. */
#ifndef POSED_SERVER_OPS_ADDRESSES_H
#define POSED_SERVER_OPS_ADDRESSES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADDRESS_LIST_CAPACITY = 64 };

/* An address, with IPv4 mapped to IPv6, and the length of the prefix. */
struct address_network {
    struct in6_addr address;
    unsigned bits;
};

struct address_list {
    unsigned count;
    struct address_network networks[ADDRESS_LIST_CAPACITY];
};

/* "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; length characters at text, without a NUL. */
bool address_parse(const char *text, size_t length, struct in6_addr *address);
/* "10.0.0.0/8,::1": comma-separated, optional blanks. False if an item is invalid, or if there are too
 * many. */
bool address_list_parse(struct address_list *list, const char *text);
/* The client that an address belongs to: an IPv4 address (also if mapped to IPv6), or the /64 of an IPv6
 * address, which a household or a server usually has to itself. 0 for text that is not an address. */
uint64_t address_client(const char *client);
bool address_list_holds(const struct address_list *list, const struct in6_addr *address);

#endif

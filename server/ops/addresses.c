#include "server/ops/addresses.h"

#include <arpa/inet.h>
#include <string.h>

enum { V4_PREFIX_BITS = 96 };

bool address_parse(const char *text, size_t length, struct in6_addr *address)
{
    char copy[INET6_ADDRSTRLEN];
    struct in_addr old;
    if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (inet_pton(AF_INET6, copy, address) == 1)
        return true;
    if (inet_pton(AF_INET, copy, &old) != 1)
        return false;
    memset(address, 0, sizeof *address);
    memset(&address->s6_addr[10], 0xff, 2);
    memcpy(&address->s6_addr[12], &old, 4);
    return true;
}

/* A number of up to three digits. */
static bool parse_bits(const char *text, size_t length, unsigned *bits)
{
    *bits = 0;
    if (!length || length > 3)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *bits = *bits * 10 + (unsigned)(text[i] - '0');
    }
    return true;
}

static bool parse_network(const char *text, size_t length, struct address_network *network)
{
    const char *slash = memchr(text, '/', length);
    size_t head = slash ? (size_t)(slash - text) : length;
    if (!address_parse(text, head, &network->address))
        return false;
    unsigned most = memchr(text, ':', head) ? 128 : 32;
    network->bits = most;
    if (slash && (!parse_bits(slash + 1, length - head - 1, &network->bits) || network->bits > most))
        return false;
    if (most == 32)
        network->bits += V4_PREFIX_BITS;
    return true;
}

bool address_list_parse(struct address_list *list, const char *text)
{
    list->count = 0;
    while (text) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, ",");
        const char *next = text[length] ? text + length + 1 : NULL;
        while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
            length--;
        if (list->count == ADDRESS_LIST_CAPACITY ||
            !parse_network(text, length, &list->networks[list->count]))
            return false;
        list->count++;
        text = next;
    }
    return true;
}

static bool network_holds(const struct address_network *network, const struct in6_addr *address)
{
    unsigned bytes = network->bits / 8, rest = network->bits % 8;
    if (memcmp(network->address.s6_addr, address->s6_addr, bytes) != 0)
        return false;
    unsigned differing = network->address.s6_addr[bytes % 16] ^ address->s6_addr[bytes % 16];
    return !rest || !(differing >> (8 - rest));
}

bool address_list_holds(const struct address_list *list, const struct in6_addr *address)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (network_holds(&list->networks[i], address))
            return true;
    }
    return false;
}

uint64_t address_client(const char *client)
{
    struct in6_addr address;
    uint32_t old;
    uint64_t value = 0;
    if (!address_parse(client, strlen(client), &address))
        return 0;
    if (!IN6_IS_ADDR_V4MAPPED(&address)) {
        memcpy(&value, address.s6_addr, sizeof value);
        return value;
    }
    memcpy(&old, &address.s6_addr[12], sizeof old);
    return old;
}

/*
 * Listening sockets: which addresses are understood, one port for all loops, and an occupied port is an error.
 */
#include "server/http/listen.h"

#include <errno.h>
#include <arpa/inet.h>
#include "tests/support/unit.h"

#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char error[256];

static void close_all(const int *fds, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        close(fds[i]);
}

TEST(what_is_no_address_is_refused)
{
    static const char *const wrong[] = {
        "",           "8080",        ":8080",       "127.0.0.1",       "127.0.0.1:",   "127.0.0.1:x",
        "::1:8080",   "[::1]",       "[::1]8080",   "localhost:8080",  "[]:8080",      "127.0.0.1:70000",
        "[::1:8080",  "256.1.1.1:1", "[1.2.3.4]:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:000080",
        "1.2.3.4:+1", "1.2.3.4: 80"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int fd = -1;
        error[0] = '\0';
        ck_assert_msg(!listen_open(wrong[i], &fd, 1, error, sizeof error), "%s was taken", wrong[i]);
        ck_assert_msg(!strncmp(error, wrong[i], strlen(wrong[i])), "%s: %s", wrong[i], error);
        ck_assert_ptr_null(strchr(error, '\n'));
    }
}

TEST(port_0_is_one_port_for_all_sockets)
{
    int fds[4];
    char first[LISTEN_NAME_CAPACITY];
    ck_assert_msg(listen_open("127.0.0.1:0", fds, 4, error, sizeof error), "%s", error);
    listen_name(fds[0], first);
    ck_assert_int_eq(strncmp(first, "127.0.0.1:", 10), 0);
    ck_assert_int_ne(atoi(first + 10), 0);
    for (unsigned i = 1; i < 4; i++) {
        char name[LISTEN_NAME_CAPACITY];
        listen_name(fds[i], name);
        ck_assert_str_eq(name, first);
    }
    close_all(fds, 4);
}

TEST(ipv6_is_named_with_brackets)
{
    int fd;
    char name[LISTEN_NAME_CAPACITY];
    ck_assert_msg(listen_open("[::1]:0", &fd, 1, error, sizeof error), "%s", error);
    listen_name(fd, name);
    ck_assert_int_eq(strncmp(name, "[::1]:", 6), 0);
    ck_assert_int_ne(atoi(name + 6), 0);
    close(fd);
}

TEST(an_occupied_port_is_an_error_though_it_could_be_shared)
{
    int fds[2];
    int more[2];
    char name[LISTEN_NAME_CAPACITY];
    ck_assert(listen_open("127.0.0.1:0", fds, 2, error, sizeof error));
    listen_name(fds[0], name);
    ck_assert(!listen_open(name, more, 2, error, sizeof error));
    ck_assert_int_eq(errno, EADDRINUSE);
    ck_assert_ptr_nonnull(strstr(error, "in use"));
    close_all(fds, 2);
    ck_assert_msg(listen_open(name, more, 2, error, sizeof error), "%s", error);
    close_all(more, 2);
}

TEST(a_socket_handed_over_is_shared)
{
    int own;
    int fds[3];
    char name[LISTEN_NAME_CAPACITY];
    char shared_name[LISTEN_NAME_CAPACITY];
    const int not_listening = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(listen_open("127.0.0.1:0", &own, 1, error, sizeof error));
    ck_assert_msg(listen_share(own, fds, 3, error, sizeof error), "%s", error);
    listen_name(own, name);
    close(own);
    listen_name(fds[2], shared_name);
    ck_assert_str_eq(shared_name, name);
    close_all(fds, 3);

    ck_assert(!listen_share(not_listening, fds, 3, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "not a listening socket"));
    close(not_listening);
}

static bool peer_of(const char *text, char host[LISTEN_HOST_CAPACITY])
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer;

    memset(&peer, 0, sizeof peer);
    if (strchr(text, ':')) {
        peer.v6.sin6_family = AF_INET6;
        ck_assert_int_eq(inet_pton(AF_INET6, text, &peer.v6.sin6_addr), 1);
    } else {
        peer.v4.sin_family = AF_INET;
        ck_assert_int_eq(inet_pton(AF_INET, text, &peer.v4.sin_addr), 1);
    }
    return listen_peer(&peer.any, host);
}

TEST(peers_are_named_and_loopback_is_known)
{
    char host[LISTEN_HOST_CAPACITY];
    ck_assert(peer_of("127.0.0.1", host));
    ck_assert_str_eq(host, "127.0.0.1");
    ck_assert(peer_of("127.8.9.10", host));
    ck_assert(peer_of("::1", host));
    ck_assert_str_eq(host, "::1");
    ck_assert(peer_of("::ffff:127.0.0.1", host));
    ck_assert_str_eq(host, "127.0.0.1");
    ck_assert(!peer_of("128.0.0.1", host));
    ck_assert(!peer_of("::ffff:10.0.0.1", host));
    ck_assert_str_eq(host, "10.0.0.1");
    ck_assert(!peer_of("2001:db8::1", host));
    ck_assert_str_eq(host, "2001:db8::1");
}

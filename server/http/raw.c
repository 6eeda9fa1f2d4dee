/*
 * Direct access to the socket. See raw.h.
 */
#include "server/http/raw.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

/* TCP_CLOSE and TCP_CLOSE_WAIT of netinet/tcp.h, which cannot be included beside linux/tcp.h. */
enum { CLOSED = 7, CLOSE_WAIT = 8 };

/* The head of an answer; headers that do not fit are left out. */
struct head {
    size_t size;
    char text[API_HEADER_CAPACITY + 1024];
};

static void put(struct head *head, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct head *head, const char *format, ...)
{
    const size_t room = sizeof head->text - head->size;
    va_list values;
    va_start(values, format);
    int length = vsnprintf(head->text + head->size, room, format, values);
    va_end(values);
    if (length > 0 && (size_t)length < room)
        head->size += (size_t)length;
}

static const char *reason_phrase(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 414:
        return "URI Too Long";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 503:
        return "Service Unavailable";
    case 507:
        return "Insufficient Storage";
    default:
        return status < 500 ? "Refused" : "Error";
    }
}

/* RFC 9110, 5.6.7. strftime would depend on the locale. */
static void put_date(struct head *head)
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const time_t now = time(NULL);
    struct tm date;
    if (gmtime_r(&now, &date)) {
        put(head, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", days[date.tm_wday], date.tm_mday,
            months[date.tm_mon], date.tm_year + 1900, date.tm_hour, date.tm_min, date.tm_sec);
    }
}

static void put_headers(struct head *head, const struct api_response *response)
{
    const char *name = response->headers;
    for (unsigned i = 0; i < response->header_count; i++) {
        const char *value = name + strlen(name) + 1;
        put(head, "%s: %s\r\n", name, value);
        name = value + strlen(value) + 1;
    }
}

bool raw_answer(int fd, const struct api_response *response)
{
    struct head head = {.size = 0};
    const size_t body_size = response->data ? response->size : 0;
    struct iovec parts[2];
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    put(&head, "HTTP/1.1 %u %s\r\n", response->status, reason_phrase(response->status));
    put_date(&head);
    put(&head, "Connection: close\r\nContent-Length: %zu\r\n", body_size);
    put_headers(&head, response);
    put(&head, "\r\n");
    parts[0] = (struct iovec){.iov_base = head.text, .iov_len = head.size};
    parts[1] = (struct iovec){.iov_base = (void *)(uintptr_t)response->data, .iov_len = body_size};
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)(head.size + body_size);
}

struct raw_peer raw_look(int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    int unread = 0;
    memset(&info, 0, sizeof info);
    const bool is_tcp = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    if (!is_tcp)
        memset(&info, 0, sizeof info);
    uint64_t received = info.tcpi_bytes_received;
    /* More data may arrive between the two calls. */
    if (ioctl(fd, FIONREAD, &unread) != 0 || unread < 0 || (uint64_t)unread > received)
        unread = 0;
    return (struct raw_peer){.received = received,
                             .read = received - (uint64_t)unread,
                             .is_tcp = is_tcp,
                             .taken = info.tcpi_bytes_acked,
                             .has_ended = info.tcpi_state == CLOSE_WAIT || info.tcpi_state == CLOSED};
}

#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

_Static_assert(sizeof(struct settled_credentials) == sizeof(struct ucred), "the size of struct ucred");
_Static_assert(offsetof(struct settled_credentials, pid) == offsetof(struct ucred, pid), "pid");
_Static_assert(offsetof(struct settled_credentials, uid) == offsetof(struct ucred, uid), "uid");
_Static_assert(offsetof(struct settled_credentials, gid) == offsetof(struct ucred, gid), "gid");
_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "the size of gid_t");

struct request {
  struct nlmsghdr head;
  struct inet_diag_req_v2 body;
};

// The reply to `request`: its length, or -1. Only the kernel has the address 0.
static ssize_t exchange(const struct request *request, void *reply, size_t size) {
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  struct sockaddr_nl sender = {0};
  socklen_t length = sizeof sender;
  struct timeval limit = {.tv_sec = 1};
  ssize_t count = -1;
  int link = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (link < 0) return -1;
  if (setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
      sendto(link, request, sizeof *request, 0, (struct sockaddr *)&kernel, sizeof kernel) == sizeof *request) {
    do {
      count = recvfrom(link, reply, size, 0, (struct sockaddr *)&sender, &length);
    } while (count < 0 && errno == EINTR);
  }
  close(link);
  return sender.nl_pid == 0 ? count : -1;
}

int settled_tcp_owner(
    uint32_t client, uint16_t client_port, uint32_t server, uint16_t server_port, uint32_t *uid) {
  struct request request = {
      .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .body = {
          .sdiag_family = AF_INET,
          .sdiag_protocol = IPPROTO_TCP,
          .idiag_states = -1,
          .id = {
              .idiag_sport = client_port,
              .idiag_dport = server_port,
              .idiag_src = {client},
              .idiag_dst = {server},
              .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
          },
      },
  };
  union {
    struct nlmsghdr head;
    char bytes[4096];
  } reply;
  ssize_t count = exchange(&request, &reply, sizeof reply);
  if (count < 0 || !NLMSG_OK(&reply.head, count)) return -1;
  if (reply.head.nlmsg_type == NLMSG_ERROR && reply.head.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr)))
    return ((struct nlmsgerr *)NLMSG_DATA(&reply.head))->error == -ENOENT ? 0 : -1;
  if (reply.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      reply.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return -1;
  // Without a connection, the kernel returns the socket that listens at the client's end.
  struct inet_diag_msg *found = NLMSG_DATA(&reply.head);
  if (found->idiag_state != 1 /* TCP_ESTABLISHED */ || found->id.idiag_sport != client_port ||
      found->id.idiag_dport != server_port)
    return 0;
  *uid = found->idiag_uid;
  return 1;
}

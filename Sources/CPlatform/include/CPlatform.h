#pragma once

#include <stdint.h>

// What Swift's view of the C library lacks.

// The twin of `struct ucred`, which glibc shows only with _GNU_SOURCE; CPlatform.c proves that they are the same.
struct settled_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

// Looks up who owns the established TCP connection of this machine from `client` to `server`: addresses and ports in
// network order. Returns 1 and sets `uid`, 0 if there is no such connection, and -1 if the kernel does not answer.
int settled_tcp_owner(
    uint32_t client, uint16_t client_port, uint32_t server, uint16_t server_port, uint32_t *uid);

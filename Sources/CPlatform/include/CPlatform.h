#pragma once

#include <stdint.h>

// What Swift's view of the C library lacks.

// The twin of `struct ucred`, which glibc shows only with _GNU_SOURCE; CPlatform.c proves that they are the same.
struct settled_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

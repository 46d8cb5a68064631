#define _GNU_SOURCE
#include "CPlatform.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

_Static_assert(sizeof(struct settled_credentials) == sizeof(struct ucred), "the size of struct ucred");
_Static_assert(offsetof(struct settled_credentials, pid) == offsetof(struct ucred, pid), "pid");
_Static_assert(offsetof(struct settled_credentials, uid) == offsetof(struct ucred, uid), "uid");
_Static_assert(offsetof(struct settled_credentials, gid) == offsetof(struct ucred, gid), "gid");
_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "the size of gid_t");

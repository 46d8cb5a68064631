import Glibc

/// A socket that was given to the process.
enum InheritedSocket {
  /// Checks that it is a listening stream socket, and keeps it from the programs that the process starts.
  static func check(_ descriptor: Int32, allowsInternet: Bool) throws(ServingError) {
    let kind = allowsInternet ? "stream socket" : "unix stream socket"
    let wrong = ServingError(.badDescriptor, "descriptor \(descriptor) is not a listening \(kind)")
    let families = allowsInternet ? [AF_UNIX, AF_INET, AF_INET6] : [AF_UNIX]
    guard let family = option(SO_DOMAIN, of: descriptor), families.contains(family),
      option(SO_ACCEPTCONN, of: descriptor) == 1, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    else { throw wrong }
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw wrong }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

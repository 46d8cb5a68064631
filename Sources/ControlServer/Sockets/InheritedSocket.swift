import Glibc

/// A socket that was given to the process.
enum InheritedSocket {
  /// Checks that it is a listening unix stream socket, and keeps it from the programs that the process starts.
  static func check(_ descriptor: Int32) throws(ControlServerError) {
    let wrong = ControlServerError(.badDescriptor, "descriptor \(descriptor) is not a listening unix stream socket")
    guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, option(SO_ACCEPTCONN, of: descriptor) == 1,
      option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    else { throw wrong }
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw wrong }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}

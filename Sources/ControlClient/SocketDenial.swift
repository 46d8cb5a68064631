import Glibc

/// Why this user may not open a socket.
enum SocketDenial {
  static func reason(_ path: String) -> String {
    var file = stat()
    guard stat(path, &file) == 0 else { return "you do not have access to the socket's directory" }
    let group = getgrgid(file.st_gid).map { String(cString: $0.pointee.gr_name) } ?? String(file.st_gid)
    guard isMember(file.st_gid) else { return "you are not in the socket's group \(group)" }
    return "you are in the socket's group \(group), but the socket's mode denies the group access: "
      + "run settlectl doctor as root"
  }

  private static func isMember(_ group: gid_t) -> Bool {
    if getegid() == group { return true }
    let count = getgroups(0, nil)
    guard count > 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(count))
    return getgroups(count, &groups) > 0 && groups.contains(group)
  }
}

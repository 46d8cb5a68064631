import Glibc

/// Users of the machine, by number.
package enum SystemUser {
  /// The user's name; nil where there is no such user, or the machine's directory of users fails.
  ///
  /// It blocks the thread for as long as that directory takes.
  package static func name(of uid: UInt32) -> String? {
    var room = 1024
    while true {
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: room)
      defer { buffer.deallocate() }
      switch getpwuid_r(uid, &entry, buffer, room, &found) {
      case 0:
        guard let found, let name = found.pointee.pw_name else { return nil }
        return String(cString: name)
      case EINTR: continue
      case ERANGE where room < 1 << 22: room *= 4
      default: return nil
      }
    }
  }
}

import Glibc

/// Groups of the machine, by name.
package enum SystemGroup {
  /// The group's number: of a name, or of digits, which need not be anybody's. Nil where there is no such group.
  ///
  /// Throws `.system` where the machine's directory of groups cannot be asked.
  package static func number(of name: String) throws(ServingError) -> UInt32? {
    if !name.isEmpty, name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return UInt32(name)
    }
    var room = 1024
    while true {
      var entry = group()
      var found: UnsafeMutablePointer<group>?
      let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: room)
      defer { buffer.deallocate() }
      switch getgrnam_r(name, &entry, buffer.baseAddress, buffer.count, &found) {
      case 0, ENOENT, ESRCH: return found == nil ? nil : entry.gr_gid
      case EINTR: continue
      case ERANGE where room < 1 << 22: room *= 4
      case let code: throw .system("cannot look up group \(name)", code)
      }
    }
  }
}

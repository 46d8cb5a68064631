import Glibc

/// The members of a group: the users in its entry, and the users with it as their primary group.
enum GroupMembers {
  static func names(of gid: UInt32) -> [String] {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 65_536)
    defer { buffer.deallocate() }
    guard getgrgid_r(gid, &entry, buffer.baseAddress, buffer.count, &found) == 0, found != nil else { return [] }
    var names: [String] = []
    var next = entry.gr_mem
    while let member = next?.pointee {
      names.append(String(cString: member))
      next = next?.successor()
    }
    return names + primaryMembers(of: gid)
  }

  private static func primaryMembers(of gid: UInt32) -> [String] {
    var names: [String] = []
    setpwent()
    defer { endpwent() }
    while let user = getpwent() {
      if user.pointee.pw_gid == gid { names.append(String(cString: user.pointee.pw_name)) }
    }
    return names
  }
}

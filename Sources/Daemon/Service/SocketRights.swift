import Glibc

/// Whether the intended users may open the sockets' files, by owner, group and mode.
struct SocketRights {
  /// Everyone may open the health socket, and members of the group the control socket.
  let health: String
  let control: String
  let group: UInt32

  /// The faults, a text for each socket; a missing file is not checked.
  var faults: [String] {
    [fault(of: control, needs: 0o060, group: group), fault(of: health, needs: 0o006, group: nil)].compactMap { $0 }
  }

  private func fault(of path: String, needs bits: mode_t, group: UInt32?) -> String? {
    guard let file = Self.status(path) else { return nil }
    if let group, file.st_gid != group {
      return "\(path) belongs to group \(Self.name(file.st_gid)), but socket_group is \(Self.name(group))"
    }
    if file.st_mode & bits != bits {
      let who = group == nil ? "others" : "its group"
      return "\(path) has mode \(Self.octal(file.st_mode)): \(who) cannot open it"
    }
    if group != nil, file.st_mode & 0o006 != 0 {
      return "\(path) has mode \(Self.octal(file.st_mode)): everyone can open it"
    }
    let directory = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    guard let around = Self.status(directory), around.st_mode & 0o001 == 0,
      group == nil || around.st_gid != group || around.st_mode & 0o010 == 0
    else { return nil }
    return "\(directory) has mode \(Self.octal(around.st_mode)): other users cannot reach \(path)"
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private static func octal(_ mode: mode_t) -> String {
    let digits = String(mode & 0o777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func name(_ group: UInt32) -> String {
    getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? String(group)
  }
}

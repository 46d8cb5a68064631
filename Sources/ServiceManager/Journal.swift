internal import CSystemd
internal import Glibc

/// How grave a journal entry is (syslog(3)).
package enum JournalPriority: Int, Sendable {
  case critical = 2
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7
}

extension ServiceManager {
  /// Sends an entry with its fields to the journal; false where standard error is not the journal's, or where it does
  /// not take the entry: then the caller writes a line.
  ///
  /// The message and the values may hold line breaks. Fields whose name the journal would not take (capitals,
  /// digits and `_`, no `_` first, at most 64) are left out. `messageID` is 32 hexadecimal digits: the kind of
  /// event, for `journalctl MESSAGE_ID=`.
  @discardableResult
  package func journal(
    _ priority: JournalPriority, _ message: String, fields: [String: String] = [:], messageID: String? = nil
  ) -> Bool {
    guard isConnectedToJournal else { return false }
    var all = fields.filter { Self.isFieldName($0.key) }
    all["MESSAGE"] = message
    all["PRIORITY"] = "\(priority.rawValue)"
    if let messageID { all["MESSAGE_ID"] = messageID }
    return Self.send(all.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) })
  }

  static func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "_"), name.utf8.count <= 64 else { return false }
    return name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
  }

  private static func send(_ fields: [[UInt8]]) -> Bool {
    // One buffer for all fields: the addresses of its parts stay valid for the one call.
    var bytes = fields.flatMap { $0 }
    return bytes.withUnsafeMutableBytes { buffer -> Bool in
      guard let start = buffer.baseAddress else { return false }
      var offset = 0
      let vectors = fields.map { field in
        defer { offset += field.count }
        return iovec(iov_base: start + offset, iov_len: field.count)
      }
      return sd_journal_sendv(vectors, Int32(vectors.count)) == 0
    }
  }
}

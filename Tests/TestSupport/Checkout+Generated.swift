import Foundation

extension Checkout {
  /// The line of a committed file that differs from what is made now; nil where the file is up to date.
  ///
  /// `SETTLED_WRITE=1` writes the file first.
  package static func firstDifference(of path: String, from made: String) throws -> String? {
    let url = root.appending(path: path)
    if ProcessInfo.processInfo.environment["SETTLED_WRITE"] != nil {
      try made.write(to: url, atomically: true, encoding: .utf8)
    }
    let (old, new) = (try text(path).split(separator: "\n"), made.split(separator: "\n"))
    let differing = zip(old, new).first { $0 != $1 }
    return differing.map { "\($0), now: \($1)" }
      ?? (old.count == new.count ? nil : "\(old.count) lines, now \(new.count)")
  }
}

import Foundation

extension Checkout {
  /// The line of a committed file that differs from what is made now; nil where the file is up to date.
  ///
  /// `SETTLED_WRITE=1` writes the file first.
  package static func firstDifference(of path: String, from made: String) throws -> String? {
    try writeWhereAsked(made, to: path)
    let (old, new) = (try text(path).split(separator: "\n"), made.split(separator: "\n"))
    let differing = zip(old, new).first { $0 != $1 }
    return differing.map { "\($0), now: \($1)" }
      ?? (old.count == new.count ? nil : "\(old.count) lines, now \(new.count)")
  }

  /// The lines of a committed file that what is made now lacks, each cut after 200 characters.
  ///
  /// `SETTLED_WRITE=1` writes the file first.
  package static func missingLines(of path: String, in made: String) throws -> [String] {
    try writeWhereAsked(made, to: path)
    let lines = Set(made.split(separator: "\n"))
    return try text(path).split(separator: "\n").filter { !lines.contains($0) }.map { String($0.prefix(200)) }
  }

  private static func writeWhereAsked(_ made: String, to path: String) throws {
    guard ProcessInfo.processInfo.environment["SETTLED_WRITE"] != nil else { return }
    try made.write(to: root.appending(path: path), atomically: true, encoding: .utf8)
  }
}

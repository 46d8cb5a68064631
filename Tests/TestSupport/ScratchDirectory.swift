import Foundation

/// A directory of one test's own below the system's temporary one, removed with the last reference.
package final class ScratchDirectory: Sendable {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "settled-test-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}

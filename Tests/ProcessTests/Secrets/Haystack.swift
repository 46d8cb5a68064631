import Foundation
import Synchronization

/// Everything that people and programs can see, by its place.
final class Haystack: Sendable {
  private let places = Mutex<[(name: String, bytes: [UInt8])]>([])

  func add(_ name: String, _ bytes: [UInt8]) { places.withLock { $0.append((name, bytes)) } }

  func add(_ name: String, _ text: String) { add(name, Array(text.utf8)) }

  /// A file, or every file of a directory.
  func add(files path: String) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path))?.map { "\(path)/\($0)" } ?? [path]
    for name in names {
      // One that goes meanwhile was empty of what it held.
      if let data = FileManager.default.contents(atPath: name) { add(name, Array(data)) }
    }
  }

  /// The names of places that hold something.
  var names: [String] { places.withLock { $0.filter { !$0.bytes.isEmpty }.map(\.name) } }

  /// Where a secret stands, as `PLACE: KIND`, each once.
  func found(_ needles: [Needle]) -> Set<String> {
    var found: Set<String> = []
    for (name, bytes) in places.withLock({ $0 }) {
      bytes.withUnsafeBytes { bytes in
        for needle in needles where needle.isIn(bytes) { found.insert("\(name): \(needle.kind)") }
      }
    }
    return found
  }
}

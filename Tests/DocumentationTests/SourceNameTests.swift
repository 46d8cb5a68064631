import TestSupport
import Testing

/// A search for a name finds one thing.
@Suite("Names in Sources") struct SourceNameTests {
  /// File names that several folders need, with the reason.
  private static let files = [
    "main.swift": "the compiler takes the entry point of a program from a file of this name",
    "module.modulemap": "clang's name for the map of a system library",
    "shim.h": "the header of a module of C, which Swift code never names",
  ]

  @Test func `no file name occurs twice in Sources`() throws {
    let paths = try Checkout.paths("Sources", ["swift", "c", "h", "modulemap"])
    let found = Dictionary(grouping: paths) { path in path.split(separator: "/").last.map(String.init) ?? path }
    for (name, paths) in found.sorted(by: { $0.key < $1.key }) where paths.count > 1 && Self.files[name] == nil {
      Issue.record("\(name): \(paths)")
    }
    #expect(Self.files.keys.allSatisfy { (found[$0]?.count ?? 0) > 1 })
  }

  /// Nested types and private ones have a context of their own.
  @Test func `no type name occurs twice in Sources`() throws {
    var found: [Substring: [String]] = [:]
    let type =
      #/
      (?m) ^ (?: (?: package | public | open | internal | final | indirect | nonisolated | @ \w+ ) \ )*
      (?: struct | class | enum | actor | protocol | typealias ) \ (\w+)
      /#
    for path in try Checkout.paths("Sources", ["swift"]) {
      for match in try Checkout.text(path).matches(of: type) { found[match.1, default: []].append(path) }
    }
    for (name, paths) in found.sorted(by: { $0.key < $1.key }) where paths.count > 1 {
      Issue.record("\(name): \(paths)")
    }
    #expect(found.count > 500)
  }
}

import Foundation
import TestSupport
import Testing

/// Any JSON that a program printed, read by path.
struct Answered {
  private let root: Any

  /// Expects the exit code and JSON on standard output.
  init(_ finished: Finished, exit: Int32 = 0, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(finished.exit == .code(exit), "\(finished.errors)", sourceLocation: location)
    root = try JSONSerialization.jsonObject(with: Data(finished.output.utf8), options: .fragmentsAllowed)
  }

  private func value(_ path: [Any]) -> Any? {
    path.reduce(Optional(root)) { node, step in
      if let index = step as? Int {
        let array = node as? [Any] ?? []
        return array.indices.contains(index) ? array[index] : nil
      }
      return (node as? [String: Any])?[step as? String ?? ""]
    }
  }

  func text(_ path: Any...) -> String? { value(path) as? String }
  func number(_ path: Any...) -> Int64? { (value(path) as? NSNumber)?.int64Value }
  func count(_ path: Any...) -> Int { (value(path) as? [Any])?.count ?? -1 }
  func isNull(_ path: Any...) -> Bool { value(path) is NSNull }
  func keys(_ path: Any...) -> Set<String> { Set((value(path) as? [String: Any] ?? [:]).keys) }
}

extension Finished {
  /// The output for people fits 80 columns.
  var fits: Bool { output.split(separator: "\n").allSatisfy { $0.count <= 80 } }
}

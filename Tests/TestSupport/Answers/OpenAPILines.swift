import Foundation

/// The recorded text of an OpenAPI document: one line for each operation and each named schema.
package enum OpenAPILines {
  /// Members are sorted by name, so that a change of a description changes its lines alone.
  package static func text(_ document: String) throws -> String {
    guard let members = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any] else {
      throw TimeLimitError(description: "the document is no object")
    }
    return try lines(members, path: [], depth: 0).joined(separator: "\n") + "\n"
  }

  /// Paths and components stand a level deeper than the other members.
  private static func lines(_ members: [String: Any], path: [String], depth: Int) throws -> [String] {
    try members.sorted { $0.key < $1.key }
      .flatMap { name, value in
        if depth < 2, let inner = value as? [String: Any], depth == 1 || ["paths", "components"].contains(name) {
          return try lines(inner, path: path + [name], depth: depth + 1)
        }
        let text = try JSONSerialization.data(
          withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
        return ["\((path + [name]).joined(separator: " ")) \(String(decoding: text, as: UTF8.self))"]
      }
  }
}

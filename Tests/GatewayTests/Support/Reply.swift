import Foundation

/// A response as it came over the wire.
struct Reply: CustomStringConvertible {
  let status: Int
  let body: String
  private let fields: [(name: String, value: String)]
  let description: String

  /// The first response of a text; nil where there is none.
  init?(_ text: String?) {
    guard let text, let head = text.range(of: "\r\n\r\n") else { return nil }
    var lines = text[..<head.lowerBound].components(separatedBy: "\r\n")
    guard lines[0].hasPrefix("HTTP/1.1 "), let status = Int(lines[0].dropFirst(9).prefix(3)) else { return nil }
    lines.removeFirst()
    fields = lines.map { line in
      let sides = line.split(separator: ":", maxSplits: 1)
      return (sides[0].lowercased(), sides.count > 1 ? sides[1].drop { $0 == " " }.description : "")
    }
    self.status = status
    body = String(text[head.upperBound...])
    description = text
  }

  subscript(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }

  func has(_ text: String) -> Bool { body.contains(text) }
}

import TextCoding

/// A command's path: segments that are literal, or names of parameters in braces.
package struct PathTemplate: Sendable {
  private enum Segment: Sendable {
    case literal(Substring)
    case parameter(String)
  }

  private let segments: [Segment]

  /// In the order in which they stand.
  package var parameters: [String] {
    segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  package init(_ template: String) {
    precondition(template.hasPrefix("/"), "a command's path begins with a slash: \(template)")
    segments = Self.split(template).map { piece in
      piece.first == "{" && piece.last == "}" ? .parameter(String(piece.dropFirst().dropLast())) : .literal(piece)
    }
  }

  /// The decoded values of the parameters; nil where the path is another one.
  package func match(_ path: some StringProtocol) -> [String: String]? {
    let pieces = Self.split(path)
    guard path.hasPrefix("/"), pieces.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (piece, segment) in zip(pieces, segments) {
      switch segment {
      case .literal(let text): guard text == piece else { return nil }
      case .parameter(let name):
        guard !piece.isEmpty, let value = PercentCoding.decode(piece) else { return nil }
        values[name] = value
      }
    }
    return values
  }

  /// The path with each parameter's value, encoded.
  package func filled(_ value: (String) -> String) -> String {
    segments.reduce(into: "") { path, segment in
      switch segment {
      case .literal(let text): path += "/" + text
      case .parameter(let name): path += "/" + PercentCoding.encode(value(name))
      }
    }
  }

  private static func split(_ path: some StringProtocol) -> [Substring] {
    Substring(path).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}

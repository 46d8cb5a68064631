import TextCoding

/// The path of a command or a route: segments that are literal, or parameters, written `{name}` or `:name`.
package struct PathTemplate: Sendable {
  package enum Segment: Sendable {
    case literal(String)
    case parameter(String)

    fileprivate init(_ text: Substring) {
      if text.first == "{", text.last == "}" {
        self = .parameter(String(text.dropFirst().dropLast()))
      } else {
        self = text.first == ":" ? .parameter(String(text.dropFirst())) : .literal(String(text))
      }
    }
  }

  package let segments: [Segment]

  /// In their order.
  package var parameters: [String] {
    segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  package init(_ template: String) {
    guard let segments = Self.segments(of: template) else {
      preconditionFailure("a path must begin with a slash: \(template)")
    }
    self.segments = segments.map(Segment.init)
  }

  /// `/v1/jobs/{name}/pause`.
  package var braced: String {
    segments.reduce(into: "") { path, segment in
      switch segment {
      case .literal(let text): path += "/" + text
      case .parameter(let name): path += "/{\(name)}"
      }
    }
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

  /// The segments of a path, still encoded; nil if it does not begin with a slash.
  package static func segments(of path: some StringProtocol) -> [Substring]? {
    guard path.hasPrefix("/") else { return nil }
    return Substring(path).dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}

import ControlAPI

/// What is asked of the daemon.
package struct ControlRequest: Sendable, Equatable {
  package enum Value: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case boolean(Bool)
  }

  package let isPost: Bool
  /// Path and query, encoded.
  package let target: String
  /// The JSON body of a POST.
  package let body: String?
  package var requestId: String?

  /// Segments are encoded here; parameters without a value are left out.
  package static func get(_ segments: String..., query: [(String, Value?)] = []) -> ControlRequest {
    let pairs = query.compactMap { name, value in value.map { PercentCoding.encode(name) + "=" + text($0) } }
    let target = path(segments) + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    return ControlRequest(isPost: false, target: target, body: nil)
  }

  package static func post(_ segments: String..., body: [(String, Value?)] = []) -> ControlRequest {
    let members = body.compactMap { name, value in value.map { (name, json($0)) } }
    return ControlRequest(isPost: true, target: path(segments), body: JSONText.object(members))
  }

  private static func path(_ segments: [String]) -> String {
    "/v1/" + segments.map(PercentCoding.encode).joined(separator: "/")
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .text(let text): PercentCoding.encode(text)
    case .integer(let number): String(number)
    case .boolean(let flag): String(flag)
    }
  }

  private static func json(_ value: Value) -> String {
    switch value {
    case .text(let text): JSONText.quoted(text)
    case .integer(let number): String(number)
    case .boolean(let flag): String(flag)
    }
  }
}

/// What the daemon answered.
package struct ControlResponse: Sendable, Equatable {
  package let status: Int
  package let body: String

  package init(status: Int, body: String) {
    self.status = status
    self.body = body
  }
}

import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A request, as far as the provider looks at it.
struct ProviderCall {
  let method: String
  let path: String
  let query: [String: String]
  let authorization: String
  let isKeptAlive: Bool
  /// Nil for a control call.
  let ticket: Ticket?
  var body = ByteBuffer()

  init(_ head: HTTPRequestHead, ticket: Ticket?) {
    let parts = head.uri.split(separator: "?", maxSplits: 1)
    method = head.method.rawValue
    path = Self.path(head)
    query = parts.count > 1 ? Self.fields(String(parts[1])) : [:]
    authorization = head.headers.first(name: "Authorization") ?? ""
    isKeptAlive = head.isKeepAlive
    self.ticket = ticket
  }

  static func path(_ head: HTTPRequestHead) -> String {
    head.uri.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
  }

  var text: String { String(buffer: body) }

  /// The body as fields of a form.
  var form: [String: String] { Self.fields(text) }

  /// The body as JSON.
  func json<Value: Decodable>(_: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(body.readableBytesView))
  }

  /// The text after the name of the scheme in `Authorization`.
  func credentials(_ scheme: String) -> String? {
    let words = authorization.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == scheme.lowercased() else { return nil }
    return String(words[1])
  }

  /// The refresh token that a refresh hands in.
  var refreshToken: String? {
    guard path == "/oauth/token", form["grant_type"] == "refresh_token" else { return nil }
    return form["refresh_token"] ?? ""
  }

  private static func fields(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(plain)
      return (sides[0], sides.count > 1 ? sides[1] : "")
    }
    return Dictionary(pairs) { _, later in later }
  }

  private static func plain(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let coded = UInt8(Substring(rest.prefix(2)), radix: 16) {
        bytes.append(coded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The decision about a call, made when its head had come.
struct Ticket {
  /// Its place in the order of all beginnings and ends.
  let began: Int
  let fault: Fault?
  let isRead: Bool
  /// The windows were spent before it.
  let isOverLimit: Bool
}

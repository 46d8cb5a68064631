import ControlAPI
import TestSupport

/// Requests for the operations of a description, by a seeded source: nearly as described, and wild.
struct WildRequests {
  let operations: [OpenAPIDocument.Operation]
  let tokens: [String?]
  /// Of people who may do nearly everything.
  let goodTokens: [String]
  let known: [String: [String]]
  let seed: UInt64

  struct Request {
    let operation: OpenAPIDocument.Operation
    /// `GET /races?limit=1`
    let line: String
    let bytes: [UInt8]
    let isTame: Bool
  }

  /// The request of this number: the same for each seed.
  func request(_ number: Int) -> Request {
    var wild = WildValues(random: SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9), known: known)
    wild.isTame = number.isMultiple(of: 2)
    var operation = wild.one(of: operations)
    // These hash a password, which takes a second.
    while operation.responses["501"] != nil, !wild.chance(20) { operation = wild.one(of: operations) }
    let line = "\(operation.method) \(path(operation, &wild))\(query(operation, &wild))"
    var head = Array("\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".utf8)
    if let token = wild.isTame ? wild.one(of: goodTokens) : wild.one(of: tokens) {
      head += Array("Authorization: Bearer \(token)\r\n".utf8)
    }
    for parameter in operation.parameters where parameter.place == "header" {
      guard parameter.isRequired ? !wild.isWild(10) : wild.chance(4) else { continue }
      let value = wild.text(named: parameter.name, wildOneOf: 10)
      head += Array("\(parameter.name): ".utf8) + value.filter { $0 >= 0x20 && $0 != 0x7f } + Array("\r\n".utf8)
    }
    if wild.isWild(10) { head += Array("X-Forwarded-For: ".utf8) + Array("10.0.0.\(number % 300), ::1\r\n".utf8) }
    var body: [UInt8] = []
    if let schema = operation.body {
      body = wild.body(schema)
    } else if wild.isWild(10) {
      body = wild.one(of: WildValues.values)
    }
    if operation.body != nil || !body.isEmpty { head += Array("Content-Length: \(body.count)\r\n".utf8) }
    return Request(operation: operation, line: line, bytes: head + Array("\r\n".utf8) + body, isTame: wild.isTame)
  }

  private func path(_ operation: OpenAPIDocument.Operation, _ wild: inout WildValues) -> String {
    operation.path.split(separator: "/").map { segment in
      guard segment.hasPrefix("{") else { return "/\(segment)" }
      // The thing whose id it is: users/{id}
      let thing = operation.path.split(separator: "/").reversed().drop { $0 != segment }.dropFirst().first ?? ""
      let name = known[String(thing)] == nil ? String(segment.dropFirst().dropLast()) : String(thing)
      return "/" + Self.encoded(wild.text(named: name, wildOneOf: 4))
    }.joined()
  }

  private func query(_ operation: OpenAPIDocument.Operation, _ wild: inout WildValues) -> String {
    var pairs: [String] = []
    for parameter in operation.parameters where parameter.place == "query" {
      guard parameter.isRequired ? !wild.isWild(10) : wild.chance(3) else { continue }
      pairs.append("\(parameter.name)=\(Self.encoded(wild.text(named: parameter.name)))")
    }
    if wild.isWild(10) { pairs.append(Self.encoded(wild.one(of: WildValues.texts))) }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    bytes.prefix(2000).map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        ? String(Character(scalar)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}

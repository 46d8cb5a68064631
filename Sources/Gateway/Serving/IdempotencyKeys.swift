import ControlAPI
import Crypto
import HTTPServing
import HTTPTypes

/// The Idempotency-Key of a request: the same request again is answered as the first time
/// (Gateway.docc/IdempotencyKeys.md).
enum IdempotencyKeys {
  private static let characters = 1...200

  static let schema = AnswerSchema.text.length(characters).pattern("^[!-~]+$").example("order-4711")

  /// Nil where there is none. Throws 400 where there is more than one, or it is no key.
  static func read(_ head: RequestHead, _ repetition: Route.Repetition) throws(GatewayError) -> String? {
    let keys = head.fields[values: .idempotencyKey]
    guard let key = keys.first else {
      guard case .required = repetition else { return nil }
      throw GatewayError(400, rule: "idempotency-key", "this request requires an Idempotency-Key header")
    }
    guard keys.count == 1, characters.contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      let count = "1 to \(characters.upperBound)"
      throw GatewayError(
        400, rule: "idempotency-key", "send one Idempotency-Key header with \(count) visible ASCII characters")
    }
    return key
  }

  /// The answer that is kept under the key: its scope is the caller, the method and the path, under any prefix.
  ///
  /// The caller stands there as a digest, because a name can be long and can have spaces.
  static func kept(_ key: String, _ caller: Caller, _ mounted: MountedRoute, _ call: Call, depthMax: Int)
    -> CallStatement.Key
  {
    let route = mounted.route
    let path = route.path.split(separator: "/").map { segment in
      segment.hasPrefix(":") ? call[String(segment.dropFirst())] : String(segment)
    }
    let scope =
      "\(hex(caller.identity)) \(route.method.rawValue) \(route.system.rawValue)/\(path.joined(separator: "/"))"
    let query = call.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    // A body without a canonical form is compared as a text.
    let value = call.body.map { CanonicalJSON.bytes($0, depthMax: depthMax) } ?? []
    return .init(
      scope: scope, key: key, fingerprint: hex("\(query)\n\(call.body ?? "")"),
      value: value.map { hex(Array("\(query)\n".utf8) + $0) }, persons: caller.persons)
  }

  private static func hex(_ text: String) -> String { hex(Array(text.utf8)) }

  private static func hex(_ bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

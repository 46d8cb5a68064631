import Engine
import SystemCrypto

/// Seals with AES-256-GCM: a fresh nonce each time; kind, athlete and key are authenticated with the text.
struct Sealer: Sendable {
  enum Kind: String, Sendable {
    case code, refresh, spool
  }

  /// The key of this node that is to seal; nil: it has none.
  let primary: SealingKey?
  private let keys: [String: SealingKey]

  init(_ options: ProviderOptions) {
    primary = SealingKey(base64: options.key)
    let all = [primary] + options.oldKeys.map(SealingKey.init(base64:))
    keys = Dictionary(all.compactMap { $0.map { ($0.id, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  func has(_ keyID: String) -> Bool { keys[keyID] != nil }

  /// Throws `EngineError.missing` where this node has no such key.
  func seal(_ text: [UInt8], _ kind: Kind, of athlete: Int64, with keyID: String) throws -> [UInt8] {
    try key(keyID).cipher.seal(text, authenticating: Self.context(kind, athlete, keyID))
  }

  /// Throws `EngineError.missing` where this node has no such key, `StravaError` where this is not what was sealed.
  func open(_ sealed: [UInt8], _ kind: Kind, of athlete: Int64, with keyID: String) throws -> [UInt8] {
    guard let text = try key(keyID).cipher.open(sealed, authenticating: Self.context(kind, athlete, keyID)) else {
      throw StravaError(.sealed, "a sealed secret was altered: it cannot be decrypted with its key \(keyID)")
    }
    return text
  }

  private func key(_ id: String) throws -> SealingKey {
    guard let key = keys[id] else { throw Self.missing(id) }
    return key
  }

  /// Nothing is refreshed without it, and nothing is lost.
  static func missing(_ id: String?) -> EngineError {
    guard let id else {
      return EngineError(.missing, "this node has no sealing key: add the token-key credential (rule token-key)")
    }
    return EngineError(
      .missing, "this node lacks the key \(id): add it as the token-key or token-key-old credential (rule token-key)")
  }

  private static func context(_ kind: Kind, _ athlete: Int64, _ keyID: String) -> [UInt8] {
    Array("settled token 1 \(kind.rawValue) \(athlete) \(keyID)".utf8)
  }
}

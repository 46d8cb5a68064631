import Engine
import Crypto
import FoundationEssentials

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
    let key = try key(keyID)
    let box = try AES.GCM.seal(text, using: key.key, authenticating: Self.context(kind, athlete, keyID))
    guard let combined = box.combined else { throw StravaError(.sealed, "a secret could not be sealed") }
    return Array(combined)
  }

  /// Throws `EngineError.missing` where this node has no such key, `StravaError` where this is not what was sealed.
  func open(_ sealed: [UInt8], _ kind: Kind, of athlete: Int64, with keyID: String) throws -> [UInt8] {
    let key = try key(keyID)
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let text = try? AES.GCM.open(box, using: key.key, authenticating: Self.context(kind, athlete, keyID))
    else {
      throw StravaError(.sealed, "a secret cannot be opened although its key \(keyID) is here: it was changed")
    }
    return Array(text)
  }

  private func key(_ id: String) throws -> SealingKey {
    guard let key = keys[id] else { throw Self.missing(id) }
    return key
  }

  /// Nothing is refreshed without it, and nothing is lost.
  static func missing(_ id: String?) -> EngineError {
    guard let id else {
      return EngineError(.missing, "this node has no key that seals: give it the credential token-key (rule token-key)")
    }
    return EngineError(
      .missing, "this node has no key \(id): give it as credential token-key or token-key-old (rule token-key)")
  }

  private static func context(_ kind: Kind, _ athlete: Int64, _ keyID: String) -> [UInt8] {
    Array("settled token 1 \(kind.rawValue) \(athlete) \(keyID)".utf8)
  }
}

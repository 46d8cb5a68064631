import Crypto
import FoundationEssentials

/// A key that seals secrets, known by the beginning of its digest.
struct SealingKey: Sendable {
  let id: String
  let key: SymmetricKey

  /// Nil unless the text is base64 of 32 bytes.
  init?(base64 text: String) {
    guard let bytes = Data(base64Encoded: text), bytes.count == 32 else { return nil }
    key = SymmetricKey(data: bytes)
    id = SHA256.hash(data: bytes).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

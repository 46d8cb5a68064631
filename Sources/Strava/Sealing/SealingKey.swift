import FoundationEssentials
import SystemCrypto

/// A key that seals secrets, known by the beginning of its digest.
struct SealingKey: Sendable {
  let id: String
  let cipher: AES256GCM

  /// Nil unless the text is base64 of 32 bytes.
  init?(base64 text: String) {
    guard let bytes = Data(base64Encoded: text).map(Array.init), let cipher = AES256GCM(key: bytes) else { return nil }
    self.cipher = cipher
    id = SHA256.digest(bytes).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

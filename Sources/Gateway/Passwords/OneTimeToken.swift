import Crypto

/// A secret in a link that works once: to reset a password, or to set the first one.
///
/// 32 random bytes, 43 characters. Only its digest is stored: who reads the database cannot use it.
package struct OneTimeToken: Hashable, Sendable {
  static let bytes = 32

  /// For the link.
  package let text: String

  package init(random: RandomBytes) {
    let bytes = random(Self.bytes)
    precondition(bytes.count == Self.bytes, "the source of random bytes gives too few")
    text = UnpaddedBase64.url.encode(bytes)
  }

  /// Nil where no token looks like this.
  package init?(_ text: String) {
    guard text.utf8.count == 43, UnpaddedBase64.url.decode(text.utf8)?.count == Self.bytes else { return nil }
    self.text = text
  }

  /// The stored form: the SHA-256 of the text, `sha256(convert_to(token, 'UTF8'))` in SQL.
  package var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

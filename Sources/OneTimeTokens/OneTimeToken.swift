import SystemCrypto
import TextCoding

/// The secret of a link that works once: to reset a password, or to set the first one.
///
/// It is 32 random bytes, as 43 letters, digits, `-` and `_`. Only its digest is stored:
/// nobody who reads the database can use it.
package struct OneTimeToken: Hashable, Sendable {
  private static let size = 32

  /// For the link.
  package let text: String

  package init(random: (_ count: Int) -> [UInt8]) {
    let bytes = random(Self.size)
    precondition(bytes.count == Self.size, "the random source returned too few bytes")
    text = UnpaddedBase64.url.encode(bytes)
  }

  /// Nil where no token looks like this.
  package init?(_ text: String) {
    guard text.utf8.count == 43, UnpaddedBase64.url.decode(text.utf8)?.count == Self.size else { return nil }
    self.text = text
  }

  /// The stored form: the SHA-256 of the text, `sha256(convert_to(token, 'UTF8'))` in SQL.
  package var digest: [UInt8] { SHA256.digest(Array(text.utf8)) }
}

import Crypto
import FoundationEssentials

/// A token that lets somebody set a password once: 32 random bytes as 43 letters, digits, `-` and `_`.
///
/// Its holder gets the text; kept is the SHA-256 of the text alone.
package struct OneTimeToken: Sendable {
  package let text: String

  package init(random: (Int) -> [UInt8]) {
    text = Data(random(32)).base64EncodedString()
      .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }.reduce(into: "") { $0.append($1) }
  }

  package var digest: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

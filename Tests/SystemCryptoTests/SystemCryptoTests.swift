import Crypto
import Testing

import SystemCrypto

/// The system's OpenSSL against swift-crypto, which sealed the secrets of former releases.
@Suite("The system's cryptography") struct SystemCryptoTests {
  private static let key = [UInt8](0..<32)
  private static let sizes = [0, 1, 15, 16, 17, 1000, 100_000]

  private static func text(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 * 31) } }

  @Test(arguments: sizes) func `a SHA-256 digest equals that of swift-crypto`(size: Int) {
    #expect(SystemCrypto.SHA256.digest(Self.text(size)) == Array(Crypto.SHA256.hash(data: Self.text(size))))
  }

  @Test(arguments: sizes, [[], Array("settled token 1 code 7 k".utf8)])
  func `swift-crypto opens what OpenSSL seals, and the reverse`(size: Int, context: [UInt8]) throws {
    let (ours, theirs) = (try #require(AES256GCM(key: Self.key)), SymmetricKey(data: Self.key))
    let text = Self.text(size)
    let box = try AES.GCM.seal(text, using: theirs, authenticating: context)
    #expect(ours.open(Array(try #require(box.combined)), authenticating: context) == text)
    let sealed = ours.seal(text, authenticating: context)
    #expect(sealed.count == size + 28)
    #expect(try AES.GCM.open(.init(combined: sealed), using: theirs, authenticating: context).elementsEqual(text))
  }

  @Test func `a changed byte, context or key opens nothing`() throws {
    let cipher = try #require(AES256GCM(key: Self.key))
    let sealed = cipher.seal(Self.text(20), authenticating: [1])
    #expect(cipher.open(sealed, authenticating: [1]) == Self.text(20))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(cipher.open(changed, authenticating: [1]) == nil, "byte \(index)")
    }
    for size in 0..<sealed.count { #expect(cipher.open(Array(sealed.prefix(size)), authenticating: [1]) == nil) }
    #expect(cipher.open(sealed, authenticating: [2]) == nil && cipher.open(sealed, authenticating: []) == nil)
    #expect(AES256GCM(key: [UInt8](1...32))?.open(sealed, authenticating: [1]) == nil)
  }

  @Test func `each seal has a nonce of its own`() throws {
    let cipher = try #require(AES256GCM(key: Self.key))
    let nonces = Set((0..<1000).map { _ in Array(cipher.seal([1], authenticating: []).prefix(12)) })
    #expect(nonces.count == 1000)
  }

  @Test(arguments: [0, 16, 31, 33]) func `a key of another size than 32 bytes is refused`(size: Int) {
    #expect(AES256GCM(key: [UInt8](repeating: 7, count: size)) == nil)
  }
}

import COpenSSL

/// Authenticated encryption with AES-256-GCM by the system's OpenSSL.
///
/// Sealed bytes are a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes.
package struct AES256GCM: Sendable {
  private static let nonceSize = 12
  private static let tagSize = 16

  private let key: [UInt8]

  /// Nil unless the key has 32 bytes.
  package init?(key: [UInt8]) {
    guard key.count == 32 else { return nil }
    self.key = key
  }

  /// Seals a text under a fresh random nonce; `context` is authenticated and not stored.
  package func seal(_ text: [UInt8], authenticating context: [UInt8]) -> [UInt8] {
    var source = SystemRandomNumberGenerator()
    let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: 0...UInt8.max, using: &source) }
    var sealed = [UInt8](repeating: 0, count: text.count)
    var tag = [UInt8](repeating: 0, count: Self.tagSize)
    let isSealed = Self.withCipher { cipher in
      EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
        && Self.update(context, into: nil) { EVP_EncryptUpdate(cipher, $0, $1, $2, $3) }
        && Self.update(text, into: &sealed) { EVP_EncryptUpdate(cipher, $0, $1, $2, $3) }
        && Self.finish { EVP_EncryptFinal_ex(cipher, $0, $1) }
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), &tag) == 1
    }
    precondition(isSealed, "OpenSSL has no AES-256-GCM")
    return nonce + sealed + tag
  }

  /// Opens what `seal` returned; nil where the key, the context or a byte is another one.
  package func open(_ sealed: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
    let nonce = Array(sealed.prefix(Self.nonceSize))
    var tag = Array(sealed.suffix(Self.tagSize))
    let ciphertext = Array(sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize))
    var text = [UInt8](repeating: 0, count: ciphertext.count)
    let isOpen = Self.withCipher { cipher in
      EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1
        && Self.update(context, into: nil) { EVP_DecryptUpdate(cipher, $0, $1, $2, $3) }
        && Self.update(ciphertext, into: &text) { EVP_DecryptUpdate(cipher, $0, $1, $2, $3) }
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag) == 1
        && Self.finish { EVP_DecryptFinal_ex(cipher, $0, $1) }
    }
    return isOpen ? text : nil
  }

  private static func withCipher(_ body: (OpaquePointer) -> Bool) -> Bool {
    guard let cipher = EVP_CIPHER_CTX_new() else { return false }
    defer { EVP_CIPHER_CTX_free(cipher) }
    return body(cipher)
  }

  private typealias Update = (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>, [UInt8], Int32) -> Int32

  /// Without `output` the bytes are authenticated only. An update without bytes would end some ciphers: it is left out.
  private static func update(_ bytes: [UInt8], into output: UnsafeMutablePointer<UInt8>?, _ update: Update) -> Bool {
    guard !bytes.isEmpty else { return true }
    var count: Int32 = 0
    return update(output, &count, bytes, Int32(bytes.count)) == 1 && Int(count) == bytes.count
  }

  /// GCM returns no further byte at its end.
  private static func finish(_ finish: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int32>) -> Int32) -> Bool {
    var rest = [UInt8](repeating: 0, count: tagSize)
    var count: Int32 = 0
    return finish(&rest, &count) == 1 && count == 0
  }
}

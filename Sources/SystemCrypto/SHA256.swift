import COpenSSL

/// SHA-256 by the system's OpenSSL.
package enum SHA256 {
  /// The digest of the bytes: 32 bytes.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    precondition(status == 1, "OpenSSL has no SHA-256")
    return digest
  }
}

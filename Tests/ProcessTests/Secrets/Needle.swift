import Foundation

/// A secret, in every form in which it might show.
struct Needle: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case accessToken, refreshToken, code, tokenKey, clientSecret
    // Those of the gateway.
    case password, passwordHash, ownToken, oneTimeToken, signingKey
  }

  let kind: Kind
  private let forms: [[UInt8]]

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    var forms = Self.forms(of: Array(text.utf8))
    if kind == .tokenKey, let bytes = Data(base64Encoded: text) { forms += Self.forms(of: Array(bytes)) }
    self.forms = Array(Set(forms))
  }

  /// A token or code of the provider, by how it begins.
  init(issued secret: String) {
    self.init(secret.hasPrefix("at_") ? .accessToken : secret.hasPrefix("rt_") ? .refreshToken : .code, secret)
  }

  /// Whether these bytes contain it, in any form.
  func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    forms.contains { form in
      form.withUnsafeBytes { form in
        memmem(bytes.baseAddress, bytes.count, form.baseAddress, form.count) != nil
      }
    }
  }

  private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    var texts = [hex, hex.uppercased()]
    for shift in 0..<3 { texts += base64(of: bytes, shiftedBy: shift) }
    let text = String(decoding: bytes, as: UTF8.self)
    if let percent = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) { texts.append(percent) }
    texts.append(text.replacing("/", with: "\\/"))
    return [bytes] + texts.map { Array($0.utf8) }
  }

  /// The part of its base64 that is the same in all surroundings, where it begins so
  /// many bytes after a multiple of three.
  private static func base64(of bytes: [UInt8], shiftedBy shift: Int) -> [String] {
    let whole = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
    let end = (shift + bytes.count) * 8 / 6
    let own = String(whole.prefix(end).dropFirst((shift * 8 + 5) / 6))
    return [own, own.replacing("+", with: "-").replacing("/", with: "_")]
  }
}

/// The C library has it, and Swift's module of it does not.
@_silgen_name("memmem")
private func memmem(
  _ place: UnsafeRawPointer?, _ length: Int, _ sought: UnsafeRawPointer?, _ soughtLength: Int
) -> UnsafeRawPointer?

/// Base64 without padding, in one of the two alphabets of RFC 4648.
package enum UnpaddedBase64: Sendable {
  /// With `-` and `_`: tokens (RFC 7515).
  case url
  /// With `+` and `/`: stored hashes of passwords.
  case standard

  package func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var (buffer, bits) = (UInt32(0), 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(character(buffer >> UInt32(bits) & 63))
      }
    }
    if bits > 0 { text.append(character(buffer << UInt32(6 - bits) & 63)) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil where a character is none of the alphabet, or where other characters would encode the same bytes.
  package func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var (buffer, bits) = (UInt32(0), 0)
    for byte in text {
      guard let value = value(byte) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return buffer & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
  }

  private func character(_ value: UInt32) -> UInt8 {
    switch UInt8(value) {
    case let value where value < 26: UInt8(ascii: "A") + value
    case let value where value < 52: UInt8(ascii: "a") + value - 26
    case let value where value < 62: UInt8(ascii: "0") + value - 52
    case 62: self == .url ? UInt8(ascii: "-") : UInt8(ascii: "+")
    default: self == .url ? UInt8(ascii: "_") : UInt8(ascii: "/")
    }
  }

  private func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-") where self == .url, UInt8(ascii: "+") where self == .standard: 62
    case UInt8(ascii: "_") where self == .url, UInt8(ascii: "/") where self == .standard: 63
    default: nil
    }
  }
}

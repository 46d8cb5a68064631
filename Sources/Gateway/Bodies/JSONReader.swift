/// A reader of JSON, byte by byte (RFC 8259).
protocol JSONReader {
  var bytes: [UInt8] { get }
  /// How far it has read.
  var position: Int { get set }
}

/// An escape that begins with `\u` and is no character.
enum JSONEscapeFault: Error {
  case digits, surrogate
}

extension JSONReader {
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// The character behind `\u`; a pair of surrogates is one character, and half a pair is none.
  mutating func escapedScalar() throws(JSONEscapeFault) -> Unicode.Scalar {
    var code = try hexadecimal()
    if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
      let low = try hexadecimal()
      guard (0xDC00..<0xE000).contains(low) else { throw .surrogate }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw .surrogate }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONEscapeFault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .digits }
      code = code << 4 | UInt32(digit)
      position += 1
    }
    return code
  }
}

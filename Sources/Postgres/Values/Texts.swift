/// Text travels as `text`; it is read from every type whose binary form is its text.
extension String: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .text }
  package static var postgresArrayType: PostgresType { .textArray }

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(contentsOf: utf8)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> String {
    let bytes = try cell.bytes(of: .text, .varchar, .name, .unknown, .json, .bpchar, .char, for: Self.self)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Mismatch(wanted: "String", got: "bytes that are not UTF-8")
    }
    return text
  }
}

/// A JSON document as its text; it travels as `jsonb` and is read from `jsonb` and `json`.
package struct JSON: Hashable, Sendable {
  package let text: String

  package init(text: String) {
    self.text = text
  }
}

extension JSON: PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  package static var postgresType: PostgresType { .jsonb }
  package static var postgresArrayType: PostgresType { .jsonbArray }

  /// The version of jsonb's binary form, which stands before the text.
  private static let version: UInt8 = 1

  package func encode(into bytes: inout [UInt8]) -> Bool {
    bytes.append(Self.version)
    bytes.append(contentsOf: text.utf8)
    return true
  }

  package static func decode(_ cell: Cell) throws(Mismatch) -> JSON {
    var bytes = try cell.bytes(of: .jsonb, .json, for: Self.self)
    if cell.type == .jsonb {
      guard bytes.first == version else { throw Mismatch(wanted: "JSON", got: "another version of jsonb") }
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Mismatch(wanted: "JSON", got: "bytes that are not UTF-8")
    }
    return JSON(text: text)
  }
}

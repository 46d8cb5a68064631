/// One value that accompanies a statement: its type and its binary form, nil for NULL.
package struct Bind: Sendable, Hashable {
  package let type: PostgresType
  package let bytes: [UInt8]?

  package init(_ value: some PostgresEncodable) {
    self.type = Swift.type(of: value).postgresType
    var bytes: [UInt8] = []
    self.bytes = value.encode(into: &bytes) ? bytes : nil
  }
}

/// The binds of a statement in the form that libpq takes them, all binary.
struct BindBuffer {
  private let bytes: [UInt8]
  private let offsets: [Int?]
  private let lengths: [Int32]

  init(_ binds: [Bind]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(binds.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
    offsets = binds.map { bind in
      guard let value = bind.bytes else { return nil }
      defer { bytes += value }
      return bytes.count
    }
    bytes.append(0)
    lengths = binds.map { Int32($0.bytes?.count ?? 0) }
    self.bytes = bytes
  }

  /// Pointers to the values (nil for NULL), their lengths in bytes, and their formats; valid during `body`.
  func withPointers<R>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> R
  ) -> R {
    let formats = [Int32](repeating: 1, count: offsets.count)
    return bytes.withUnsafeBytes { buffer in
      let base = buffer.bindMemory(to: CChar.self).baseAddress
      let values = offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { body(values.baseAddress, lengths.baseAddress, $0.baseAddress) }
        }
      }
    }
  }
}

import TextCoding

/// The names of an object's members, unchanged: Foundation's decoder keeps one of two equal names without an error.
enum BodyNames {
  /// The first name that appears twice; nil if each appears once.
  static func twice(in body: [UInt8]) -> String? {
    var seen: Set<String> = []
    return read(body).first { !seen.insert($0).inserted }
  }

  /// Of a body that is known to be a JSON object; the decoder accepts a byte order mark before it.
  static func read(_ body: [UInt8]) -> [String] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var reader = JSONReader(body.starts(with: mark) ? Array(body.dropFirst(mark.count)) : body)
    var names: [String] = []
    while let event = try? reader.next(), event != .end || reader.depth > 0 {
      if event == .name, reader.depth == 1 { names.append(String(decoding: reader.content, as: UTF8.self)) }
    }
    return names
  }
}

/// One block of a PEM text: the label of its first line, and the block with its first and last line.
struct PEM: Hashable, Sendable {
  let label: String
  let text: String

  /// All blocks in their order; text between them is passed over, as OpenSSL does. Nil where a block does not end.
  static func blocks(of text: String) -> [PEM]? {
    var blocks: [PEM] = []
    var open: (label: String, lines: [Substring])?
    for line in text.split(whereSeparator: \.isNewline) {
      if let label = label(of: line, "-----BEGIN ") {
        guard open == nil else { return nil }
        open = (label, [line])
      } else if let label = label(of: line, "-----END ") {
        guard var block = open, block.label == label else { return nil }
        block.lines.append(line)
        blocks.append(PEM(label: label, text: block.lines.joined(separator: "\n")))
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    return open == nil ? blocks : nil
  }

  private static func label(of line: Substring, _ prefix: String) -> String? {
    guard line.hasPrefix(prefix), line.hasSuffix("-----"), line.count > prefix.count + 5 else { return nil }
    return String(line.dropFirst(prefix.count).dropLast(5))
  }
}

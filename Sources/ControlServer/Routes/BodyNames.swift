import FoundationEssentials

/// The names of an object's members as they stand: a decoder keeps one of two that are equal, and says nothing.
enum BodyNames {
  /// The first name that stands twice; nil where each stands once.
  static func twice(in body: [UInt8]) -> String? {
    var seen: Set<String> = []
    return read(body).first { !seen.insert($0).inserted }
  }

  /// Of a body that is known to be a JSON object.
  static func read(_ body: [UInt8]) -> [String] {
    var names: [String] = []
    var depth = 0
    var isName = false
    var rest = body[...]
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""):
        let text = string(at: rest)
        if depth == 1, isName, let name = try? JSONDecoder().decode(String.self, from: Data(text)) {
          names.append(name)
        }
        rest = rest[text.endIndex...]
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        isName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ":") where depth == 1: isName = false
      case UInt8(ascii: ",") where depth == 1: isName = true
      default: break
      }
      rest.removeFirst()
    }
    return names
  }

  /// The string that begins here, its quotation marks included.
  private static func string(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = text.startIndex + 1
    while end < text.endIndex, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    return text[..<min(end + 1, text.endIndex)]
  }
}

/// The marks of drawings, and those that stand outside of them.
enum PlotBounds {
  /// Of all drawings in a page: the tags whose places are not within the `viewBox`, half a pixel to spare.
  static func outside(in html: String) -> [String] {
    html.split(separator: "<svg ", omittingEmptySubsequences: false).dropFirst().flatMap { piece -> [String] in
      let drawing = piece.split(separator: "</svg>", maxSplits: 1)[0]
      let tags = drawing.split(separator: "<")
      let box = numbers(value("viewBox", in: tags[0]) ?? "")
      guard box.count == 4 else { return ["no viewBox"] }
      return tags.dropFirst().filter { tag in
        let places = places(tag)
        return places.x.contains { !(-0.5...box[2] + 0.5).contains($0) }
          || places.y.contains { !(-0.5...box[3] + 0.5).contains($0) }
      }.map(String.init)
    }
  }

  private static func places(_ tag: Substring) -> (x: [Double], y: [Double]) {
    func number(_ name: String) -> Double { value(name, in: tag).flatMap { Double($0) } ?? .infinity }
    switch tag.prefix(while: { $0.isLetter }) {
    case "rect": return ([number("x"), number("x") + number("width")], [number("y"), number("y") + number("height")])
    case "circle":
      let r = number("r")
      return ([number("cx") - r, number("cx") + r], [number("cy") - r, number("cy") + r])
    case "line": return ([number("x1"), number("x2")], [number("y1"), number("y2")])
    case "text": return ([number("x")], [number("y")])
    case "path": return path(value("d", in: tag) ?? "")
    default: return ([], [])
    }
  }

  /// `M1 2L3 4V5H6Z`.
  private static func path(_ text: Substring) -> (x: [Double], y: [Double]) {
    var (x, y): ([Double], [Double]) = ([], [])
    var rest = text
    while let letter = rest.popFirst() {
      let values = numbers(rest.prefix { !$0.isLetter })
      rest = rest.drop { !$0.isLetter }
      switch letter {
      case "H": x += values
      case "V": y += values
      // An arc of `DotStrip` goes round below its start.
      case "a":
        let (radius, center) = (values.first ?? .infinity, x.last ?? .infinity)
        x += [center - radius, center + radius]
        y.append((y.last ?? .infinity) + 2 * radius)
      case "Z", "z": break
      default:
        x.append(values.first ?? .infinity)
        y.append(values.last ?? .infinity)
      }
    }
    return (x, y)
  }

  private static func numbers(_ text: Substring) -> [Double] {
    text.split(separator: " ").map { Double($0) ?? .infinity }
  }

  private static func value(_ name: String, in tag: Substring) -> Substring? {
    tag.firstRange(of: " \(name)=\"").map { tag[$0.upperBound...].prefix { $0 != "\"" } }
      ?? (tag.hasPrefix("\(name)=\"") ? tag.dropFirst(name.count + 2).prefix { $0 != "\"" } : nil)
  }
}

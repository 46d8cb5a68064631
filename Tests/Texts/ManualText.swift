import ControlAPI
import Foundation

/// The paragraphs of commands in settlectl's manual page: arguments, summary and options are generated.
///
/// Sentences between a command's summary and its options are written by hand, and stay. So does the whole paragraph of
/// a command whose type is written by hand.
struct ManualText {
  private static let tag = ".TP\n\\fBsettlectl "

  /// Commands of settlectl that are not commands of the daemon; their paragraphs are written by hand.
  private static let local = ["dashboard"]

  /// The page in pieces: each paragraph of a command is one, and so is the text between them.
  private var pieces: [String] = []

  init(_ page: String) {
    var rest = page[...]
    while let start = rest.range(of: Self.tag) {
      pieces.append(String(rest[..<start.lowerBound]))
      let behind = rest[start.upperBound...]
      let ends = ["\n" + Self.tag, "\n.SH "].compactMap { behind.range(of: $0)?.lowerBound }
      let end = ends.min().map { behind.index(after: $0) } ?? behind.endIndex
      pieces.append(String(rest[start.lowerBound..<end]))
      rest = rest[end...]
    }
    pieces.append(String(rest))
  }

  /// The page with the paragraphs of these commands: a new one stands behind the command before it in the list.
  func renewed(_ commands: [CommandDescription]) -> String {
    var page = self
    let shown = commands.filter { !LeafText.dryRuns.contains($0.name) }
    let tags = Set(shown.map(Self.tag(of:)) + Self.local.map { "\(Self.tag)\($0)\\fR" })
    page.pieces.removeAll { $0.hasPrefix(Self.tag) && !tags.contains(Self.tag(of: $0)) }
    var previous: Int?
    for command in shown {
      let place = page.pieces.firstIndex { Self.tag(of: $0) == Self.tag(of: command) }
      if let place {
        let isOwn = LeafText.own.contains(command.name)
        if !isOwn { page.pieces[place] = Self.paragraph(command, notes: Self.notes(page.pieces[place])) }
        previous = place
      } else if let behind = previous {
        page.pieces.insert(Self.paragraph(command, notes: ""), at: behind + 1)
        previous = behind + 1
      }
    }
    return page.pieces.joined()
  }

  private static func tag(of command: CommandDescription) -> String {
    "\(tag)\(escaped(command.words.joined(separator: " ")))\\fR"
  }

  private static func tag(of piece: String) -> String {
    piece.range(of: "\\fR").map { String(piece[..<$0.upperBound]) } ?? piece
  }

  /// The lines between the summary and the first option.
  private static func notes(_ paragraph: String) -> String {
    paragraph.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).dropLast()
      .prefix { $0 != ".RS" }.map { $0 + "\n" }.joined()
  }

  private static func paragraph(_ command: CommandDescription, notes: String) -> String {
    let words =
      command.arguments.map { optional($0, "\\fI\(escaped(value($0)))\\fR") }
      + command.options.map { option in
        let name = "\\fB\(name(option))\\fR"
        return optional(option, option.kind == .boolean ? name : "\(name) \\fI\(escaped(value(option)))\\fR")
      }
    let meanings =
      command.arguments.map { ("\\fI\(escaped(value($0)))\\fR", $0.meaning) }
      + command.options.map { ("\\fB\(name($0))\\fR", $0.meaning) }
    return "\(tag(of: command)) \(words.joined(separator: " "))\n\(command.headline)\n\(notes)"
      + meanings.map { ".RS\n.TP\n\($0)\n\($1)\n.RE\n" }.joined()
  }

  private static func optional(_ parameter: CommandParameter, _ text: String) -> String {
    parameter.isRequired ? text : "[\(text)]"
  }

  /// `expectHash` as `\-\-expect\-hash`.
  private static func name(_ parameter: CommandParameter) -> String { escaped("--" + hyphened(parameter.name)) }

  private static func value(_ parameter: CommandParameter) -> String { parameter.valueName ?? hyphened(parameter.name) }

  private static func hyphened(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }

  private static func escaped(_ text: String) -> String { text.replacing("-", with: "\\-") }
}

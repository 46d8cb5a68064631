import Dashboard

/// The markup of screens for files without script: what would lead nowhere there is text, or is left out.
enum SavedMarkup {
  /// Elements that need the relay or the script, with their content. None holds another one of its kind.
  private static let useless = [
    "<form ", "<button ", "<kbd>", "<span class=\"seg\"", "<p class=\"pager\"", "<div class=\"choices\"",
  ]

  /// Links to whole screens lead to their files. Text holds no angle bracket and a value no quotation mark, so that
  /// tags are found by these.
  static func html(_ page: String) -> String {
    var (out, rest, ends): (String, Substring, [String]) = ("", page[...], [])
    while let start = rest.firstIndex(of: "<") {
      out += rest[..<start]
      rest = rest[start...]
      let tag = rest.prefix { $0 != ">" } + ">"
      let isButton = tag.hasPrefix("<a ") && (tag.contains(" class=\"btn") || tag.contains(" rel=\"next\""))
      if isButton || useless.contains(where: { tag.hasPrefix($0) }) {
        let name = tag.dropFirst().prefix { $0.isLetter }
        rest = rest[(rest.firstRange(of: "</\(name)>")?.upperBound ?? rest.endIndex)...]
        continue
      }
      rest = rest.dropFirst(tag.count)
      switch true {
      case tag.hasPrefix("<a "):
        let (opened, end) = link(tag)
        out += opened
        ends.append(end)
      case tag == "</a>": out += ends.popLast() ?? ""
      default: out += tag
      }
    }
    return out + rest
  }

  private static func link(_ tag: Substring) -> (tag: String, end: String) {
    let mark = " href=\"/"
    guard let range = tag.firstRange(of: mark) else { return (String(tag), "</a>") }
    let path = tag[range.upperBound...].prefix { $0 != "\"" }
    guard Screen.named(String(path))?.isInNavigation == true else { return ("<span>", "</span>") }
    return (
      tag[..<range.lowerBound] + " href=\"\(path).html\"" + tag[range.upperBound...].dropFirst(path.count + 1), "</a>"
    )
  }
}

import ArgumentParser

/// The commands that a person may have meant by one that does not exist, or is incomplete.
enum Suggestion {
  /// Options that a group of commands has itself.
  private static let ofGroups: Set<String> = ["-h", "--help", "-help", "--help-hidden", "-help-hidden", "--version"]

  /// A line for a mistyped command, or one whose options come before its last word; nil if the words name one, or if
  /// none is similar.
  static func line(for arguments: [String], root: any ParsableCommand.Type = SettlectlCommand.self) -> String? {
    var command = root
    var path = [name(of: root)]
    for word in arguments {
      let choices = command.configuration.subcommands
      guard !choices.isEmpty, word != "help" else { return nil }
      if word.hasPrefix("-") { return missingWord(path, choices, before: word) }
      if let next = choices.first(where: { name(of: $0) == word }) {
        command = next
        path.append(word)
        continue
      }
      let nearest = (choices.map { name(of: $0) } + others(path)).map { (name: $0, distance: distance($0, word)) }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
      guard let nearest, nearest.distance <= max(1, word.count / 3) else { return nil }
      let line = path.joined(separator: " ")
      let meant = nearest.name == version ? "--\(version)" : nearest.name
      return "there is no command '\(line) \(word)'; did you mean '\(line) \(meant)'?"
    }
    return nil
  }

  /// The options of a group of commands.
  private static func others(_ path: [String]) -> [String] { path.count == 1 ? ["help", version] : ["help"] }

  private static let version = "version"

  private static func missingWord(
    _ path: [String], _ choices: [any ParsableCommand.Type], before option: String
  ) -> String? {
    guard !ofGroups.contains(option), !option.hasPrefix("--experimental"), !option.hasPrefix("--generate") else {
      return nil
    }
    let line = path.joined(separator: " ")
    let words = path.count == 1 ? "see \(line) --help" : choices.map { name(of: $0) }.joined(separator: ", ")
    return "'\(line)' is not a complete command: put \(option) after the subcommand (\(words))"
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  /// How many characters must be inserted, removed, changed, or exchanged with their neighbour.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var best = min(rows[i][j] + (left[i] == right[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}

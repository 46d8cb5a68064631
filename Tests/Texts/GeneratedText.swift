import ControlAPI
import Foundation

/// A file of the repository with a part that is generated from the descriptions of commands.
struct GeneratedText: Sendable {
  /// From the root of the repository.
  let path: String
  /// The file's text with its generated part renewed.
  let renewed: @Sendable (String) -> String

  static let all =
    CommandDescription.systems.filter { !LeafText($0.value).isEmpty }.map { system in
      GeneratedText(path: "Sources/CommandLineTool/Commands/\(system.key)Commands.swift") { old in
        head(of: old, before: LeafText.mark) + LeafText(system.value).text
      }
    } + [
      GeneratedText(path: "deploy/man/settlectl.1") { ManualText($0).renewed(CommandDescription.all) },
      GeneratedText(path: "Sources/ControlServer/ControlServer.docc/Levels.md", renewed: LevelText.renewed),
    ]

  /// The text before the line that begins the generated part: the part stands at the end of the file.
  private static func head(of text: String, before mark: String) -> Substring {
    text.range(of: mark).map { text[..<$0.lowerBound] } ?? text[...] + "\n"
  }
}

import Dashboard
import TextCoding

/// A beat as a line of the event stream: `{"beat": 7, "parts": ["overview/jobs"], "all": false, "refused": null,
/// "lost": null}`.
enum BeatLine {
  static func text(_ beat: Beat, isGap: Bool) -> String {
    let parts = ([Screen.header] + Screen.all).flatMap { screen in
      screen.parts.filter { part in part.watches.contains { Self.matches($0, beat.kinds) } }
        .map { JSONValue.text(screen.name + "/" + $0.name) }
    }
    let line: JSONValue = [
      "beat": .integer(Int64(beat.number)), "parts": .array(parts), "all": .boolean(isGap || beat.isIncomplete),
      "refused": beat.refusal.map { .text($0) } ?? .null, "lost": beat.lostSeconds.map { .integer(Int64($0)) } ?? .null,
    ]
    return line.serialized + "\n"
  }

  /// `race.*` is every kind of the noun, `*` every happening.
  static func matches(_ watched: String, _ kinds: Set<String>) -> Bool {
    guard watched.hasSuffix("*") else { return kinds.contains(watched) }
    let paces: Set = [Part.everyFiveSeconds, Part.everyMinute]
    return kinds.contains { $0.hasPrefix(watched.dropLast()) && !paces.contains($0) }
  }
}

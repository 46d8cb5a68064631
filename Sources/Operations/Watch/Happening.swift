import Engine
import Postgres
import TextCoding

/// One event on any node, as watchers see it.
struct Happening: Sendable, Equatable {
  let at: Timestamp
  /// An event's topic, `occurrence.` and the status that an occurrence has now, or `command.` and an operator's
  /// command.
  let kind: String
  /// The job or schedule that caused it; nil if an app or an operator did.
  let job: String?
  let key: String
  let text: String

  var json: JSONValue {
    ["at": .instant(at), "kind": .text(kind), "job": .optional(job), "key": .text(key), "text": .text(text)]
  }
}

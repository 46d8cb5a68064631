package import TextCoding

/// What became of an `Ask`.
package enum Reply: Sendable, Equatable {
  case answer(JSONValue)
  /// The daemon's rule and its text.
  case refused(code: String, text: String)
  /// The daemon is older, and has no such command.
  case missing
  case unreachable(String)
  /// The daemon is still at it.
  case awaited

  /// The answer; nil where there is none.
  package var answer: JSONValue? {
    if case .answer(let value) = self { value } else { nil }
  }
}

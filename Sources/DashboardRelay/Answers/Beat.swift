/// What a page learns at once: what happened, or that so much time has passed.
struct Beat: Sendable {
  /// Counts the beats: a page that lacks one reads everything again.
  let number: Int
  /// Kinds of happenings, and paces of `Part.watches`.
  let kinds: Set<String>
  /// Whether happenings were lost.
  let isIncomplete: Bool
  /// Why the daemon lets nobody watch; nil while it does.
  let refusal: String?
  /// For how many seconds the daemon has not answered; nil while it does.
  let lostSeconds: Int?
}

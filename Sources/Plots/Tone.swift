/// The colour of a mark, as the name of a class in the style sheet.
package enum Tone: String, Sendable, CaseIterable {
  case main = "m1"
  case light = "m2"
  case held = "m3"
  case grey = "v1"
  case accent, good, warn, bad
}

extension String {
  /// A text of another's writing among other words, where no `bdi` can stand, as in a plot: its direction does not
  /// reach what follows.
  var isolated: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    // A control of its own could end the isolation.
    let own = unicodeScalars.filter { !Self.directions.contains($0) }
    return "\u{2068}" + String(String.UnicodeScalarView(own)) + "\u{2069}"
  }

  private static let directions = Set(
    "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}".unicodeScalars)
}

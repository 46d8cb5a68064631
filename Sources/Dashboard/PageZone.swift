package import TextCoding

/// The offsets of one zone from UTC, as the daemon's database knows them.
package struct PageZone: Hashable, Sendable {
  package struct Span: Hashable, Sendable {
    /// The offset counts from this instant until the next span.
    package let from: Instant
    package let offsetSeconds: Int
    /// `BST`.
    package let abbreviation: String

    package init(from: Instant, offsetSeconds: Int, abbreviation: String) {
      self.from = from
      self.offsetSeconds = offsetSeconds
      self.abbreviation = abbreviation
    }
  }

  /// `Europe/London`.
  package let name: String
  /// In the order of time, one at least.
  package let spans: [Span]
  /// The end of the last span; nil: it has none.
  private let until: Instant?
  /// The zone that was asked for, where its offsets could not be had and UTC stands in for it.
  package let missing: String?

  private static let utcSpan = Span(from: Instant(milliseconds: 0), offsetSeconds: 0, abbreviation: "UTC")
  package static let utc = PageZone(name: "UTC", spans: [utcSpan])

  /// UTC in place of a zone whose offsets could not be had.
  package static func utc(insteadOf name: String) -> PageZone {
    PageZone(name: "UTC", spans: [utcSpan], missing: name)
  }

  private init(name: String, spans: [Span], until: Instant? = nil, missing: String? = nil) {
    self.name = name
    self.spans = spans
    self.until = until
    self.missing = missing
  }

  /// From the answer of `zone.offsets`; nil in another form. `until`: the end of what was asked for.
  package init?(_ answer: JSONValue, until: Instant? = nil) {
    guard let name = answer["zone"]?.text, let rows = answer["offsets"]?.elements, !rows.isEmpty else { return nil }
    let spans = rows.compactMap { row -> Span? in
      guard let from = row["from"]?.text.flatMap({ Instant($0) }), let offset = row["offsetSeconds"]?.integer,
        (-200_000...200_000).contains(offset)
      else { return nil }
      return Span(
        from: from, offsetSeconds: Int(offset), abbreviation: row["abbreviation"]?.text ?? Self.shown(Int(offset)))
    }
    guard spans.count == rows.count else { return nil }
    self.init(name: name, spans: spans.sorted { $0.from < $1.from }, until: until)
  }

  /// The span of an instant; where the zone's is not known, that of UTC, as its abbreviation shows.
  package func span(at instant: Instant) -> Span {
    if let until, instant >= until { return Self.utcSpan }
    return spans.last { $0.from <= instant } ?? Self.utcSpan
  }

  package func local(_ instant: Instant) -> PageTime {
    let span = span(at: instant)
    return PageTime(instant, offsetSeconds: span.offsetSeconds, abbreviation: span.abbreviation)
  }

  /// The changes of the clocks after one instant and before another.
  package func changes(from: Instant, to: Instant) -> [(at: Instant, before: Span, after: Span)] {
    zip(spans, spans.dropFirst()).filter { $1.from > from && $1.from < to && $0.offsetSeconds != $1.offsetSeconds }
      .map { ($1.from, $0, $1) }
  }

  /// `+01:00`.
  private static func shown(_ offset: Int) -> String {
    let minutes = abs(offset) / 60
    return (offset < 0 ? "-" : "+") + PageTime.padded(minutes / 60, 2) + ":" + PageTime.padded(minutes % 60, 2)
  }
}

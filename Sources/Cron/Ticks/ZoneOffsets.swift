/// How a zone's clocks stand to UTC over a range of time, as the database knows it.
///
/// Asked of the database (`settled.zone_offsets`), never of the host: Swift's named zones are nil in a static build.
package struct ZoneOffsets: Sendable, Equatable {
  /// From `start` (seconds since 1970 in UTC) on, clocks show `start + offset`.
  package struct Span: Sendable, Equatable {
    package let start: Int64
    package let offset: Int64

    package init(start: Int64, offset: Int64) {
      self.start = start
      self.offset = offset
    }
  }

  /// At least one, ascending; the last one holds up to `end`.
  package let spans: [Span]
  /// Nothing is known from this second on.
  package let end: Int64

  /// - Precondition: spans ascend, at least one.
  package init(_ spans: [Span], end: Int64) {
    precondition(
      !spans.isEmpty && zip(spans, spans.dropFirst()).allSatisfy { $0.start < $1.start },
      "spans must be in ascending order")
    self.spans = spans
    self.end = end
  }

  /// Clocks that always show UTC.
  package static let utc = ZoneOffsets([Span(start: .min / 4, offset: 0)], end: .max / 4)

  /// These up to where the others begin, and then the others: what was known at some time, for the range it covers.
  package func overlaid(by others: ZoneOffsets) -> ZoneOffsets {
    guard let first = others.spans.first?.start else { return self }
    return ZoneOffsets(spans.filter { $0.start < first } + others.spans, end: max(end, others.end))
  }
}

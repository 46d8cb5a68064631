package import Postgres

/// A calendar day of a zone, by its first instant. The date is written `2031-03-30`.
package struct ZoneDay: Hashable, Sendable {
  package let date: String
  package let start: Timestamp

  package init(date: String, start: Timestamp) {
    self.date = date
    self.start = start
  }
}

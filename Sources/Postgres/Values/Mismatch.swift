/// Why a column could not be read: what was wanted, and what was there.
///
/// `got` names types and circumstances, never a value. The row adds the column and makes it a `PostgresError`.
package struct Mismatch: Error, Hashable {
  package let wanted: String
  package let got: String

  package init(wanted: String, got: String) {
    self.wanted = wanted
    self.got = got
  }
}

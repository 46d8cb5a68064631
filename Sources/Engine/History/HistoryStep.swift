/// A function of the owner's that plants, closes or drops one partition of a table, and yields its name, or null.
package struct HistoryStep: Sendable {
  let function: String
  let table: String

  package init(_ function: String, of table: String) {
    self.function = function
    self.table = table
  }
}

/// How much of others' work a transaction sees.
package enum Isolation: String, Sendable, CaseIterable {
  case readCommitted = "READ COMMITTED"
  case repeatableRead = "REPEATABLE READ"
  case serializable = "SERIALIZABLE"
}

/// An error of the engine, with a stable code.
package struct EngineError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The database has no schema, or an older one: `settled migrate` is needed.
    case schemaOlder = "schema-older"
    /// A migration that was applied differs from the one in this program.
    case schemaEdited = "schema-edited"
    /// The database is newer than this program, in a way that this program cannot live with.
    case schemaNewer = "schema-newer"
    /// The database role may not do what was asked.
    case notAllowed = "not-allowed"
    /// Something in the product's schemas belongs to a conflict.
    case notOurs = "not-ours"
    /// Another session held what a migration needs for too long.
    case locked
    /// A database with a real clock cannot be made a simulated one.
    case realClock = "real-clock"
    /// The database is not in UTF8.
    case encoding
    /// The session fires no trigger.
    case replicaRole = "replica-role"
    /// Objects of the schema are missing or changed, and cannot be put back.
    case damaged
    /// Objects of others depend on what a migration changes.
    case inTheWay = "in-the-way"
    /// Two rows have one key, and an operator must correct them first.
    case doubles
    /// Another daemon runs under this node's name.
    case nameTaken = "name-taken"
    /// The database's clock, or this node's, is wrong.
    case clock
    /// A call abroad was not answered in its time, or gave up.
    case call
    /// This node lacks something that every item of a job needs.
    case missing
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

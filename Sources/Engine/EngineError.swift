/// An error of the engine, with a stable code.
package struct EngineError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The database has no schema, or an older one: `settled migrate` is needed.
    case schemaOlder = "schema-older"
    /// An applied migration differs from the one in this program.
    case schemaEdited = "schema-edited"
    /// The database has a newer schema that this program cannot work with.
    case schemaNewer = "schema-newer"
    /// The database role does not have a privilege that the operation needs.
    case notAllowed = "not-allowed"
    /// An object in one of our schemas belongs to another role.
    case notOurs = "not-ours"
    /// Another session held a lock that a migration needs for too long.
    case locked
    /// A database with a real clock cannot become a simulated one.
    case realClock = "real-clock"
    /// The database is not in UTF8.
    case encoding
    /// Triggers do not fire in the session.
    case replicaRole = "replica-role"
    /// Objects of the schema are missing or changed, and cannot be restored.
    case damaged
    /// Foreign objects depend on an object that a migration changes.
    case inTheWay = "in-the-way"
    /// Two rows have one key, and an operator must correct them first.
    case doubles
    /// Another daemon runs under this node's name.
    case nameTaken = "name-taken"
    /// The database's clock, or this node's, is wrong.
    case clock
    /// An external call timed out or was given up.
    case call
    /// This node is missing something that every item of a job needs.
    case missing
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

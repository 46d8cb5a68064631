package import TextCoding
package import Postgres

extension JSONValue {
  /// JSON text as the database returned it.
  package static func raw(_ json: JSON) -> JSONValue { .encoded(json.text) }
  package static func instant(_ instant: Timestamp?) -> JSONValue { optional(instant?.description) }

  /// The value as a parameter or result of a statement.
  package var json: JSON { JSON(text: serialized) }
}

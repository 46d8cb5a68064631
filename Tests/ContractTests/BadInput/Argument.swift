/// The values that an argument of a contract function may be handed, and how each ends: `ok`, or the refusal.
///
/// Values are SQL. Each is tried with good values for all other arguments.
struct Argument {
  let name: String
  let good: String
  let values: [(sql: String, outcome: String)]

  private var rule: String { name.split(separator: "_").joined(separator: "-") }

  private init(_ name: String, good: String, values: [(String, String)] = []) {
    self.name = name
    self.good = good
    self.values = values.map { (sql: $0.0, outcome: $0.1) }
  }

  private func with(_ more: [(String, String)]) -> Argument {
    Argument(name, good: good, values: values.map { ($0.sql, $0.outcome) } + more)
  }

  /// This argument with further values.
  func also(_ more: (String, String)...) -> Argument { with(more) }

  func also(_ more: [(String, String)]) -> Argument { with(more) }

  private func refused(_ values: [String]) -> Argument { with(values.map { ($0, "SD400 \(rule)") }) }
}

extension Argument {
  /// An id of something that must exist.
  static func id(_ name: String, of thing: String, good: String) -> Argument {
    Argument(name, good: good).refused(["null"])
      .with(["0", "-1", "9223372036854775807", "-9223372036854775808"].map { ($0, "SD404 \(thing)") })
  }

  /// Where a page begins: any number is an answer, if only an empty one.
  static func cursor(_ name: String) -> Argument {
    Argument(
      name, good: "null",
      values: ["null", "0", "-1", "9223372036854775807", "-9223372036854775808"].map { ($0, "ok") })
  }

  static func page(good: String) -> Argument {
    Argument("max", good: good).refused(["null", "0", "-1", "501", "2147483647", "-2147483648"])
      .with([("1", "ok"), ("500", "ok")])
  }

  static func pence(_ name: String) -> Argument {
    Argument(name, good: "100")
      .refused(["null", "0", "-1", "100000001", "9223372036854775807", "-9223372036854775808"])
      .with([("1", "ok"), ("100000000", "ok")])
  }

  /// Free text of at most 10,000 characters of any kind.
  static func text(_ name: String, good: String = "'x'", isEmptyAllowed: Bool = false) -> Argument {
    let odd = [
      "repeat('é', 10000)", #"E'\n'"#, #"E'\x01'"#, "'%s %I {} \\ \" '' $1'", "repeat(chr(128690), 10000)", "' '",
      "'null'", "'{\"a\": 1}'",
    ]
    return Argument(name, good: good).refused(["null", "repeat('x', 10001)", "repeat('x', 1000001)"])
      .with(odd.map { ($0, "ok") }).with([
        ("''", isEmptyAllowed ? "ok" : "SD400 \(name.split(separator: "_").joined(separator: "-"))")
      ])
  }

  /// What somebody is called: free text of which something can be seen.
  static func name(_ name: String, good: String = "'x'") -> Argument {
    let text = Self.text(name, good: good)
    let empty = [#"E'\n'"#, #"E'\x01'"#, "' '"]
    return Argument(
      name, good: good, values: text.values.filter { !empty.contains($0.sql) }.map { ($0.sql, $0.outcome) }
    )
    .refused(empty)
  }

  /// One of a few words. Those that are allowed are tried too.
  static func word(_ name: String, _ allowed: [String], isOptional: Bool = false) -> Argument {
    let bad = ["''", "'x'", "'\(allowed[0].uppercased())'", "'\(allowed[0]) '", "repeat('x', 1000001)"]
    return Argument(name, good: "'\(allowed[0])'").refused(isOptional ? bad : bad + ["null"])
      .with((isOptional ? ["null"] : []).map { ($0, "ok") }).with(allowed.map { ("'\($0)'", "ok") })
  }

  static func instant(_ name: String, good: String) -> Argument {
    Argument(name, good: good).refused(
      [
        "null", "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31'", "'1899-12-31 23:59:59Z'",
        "'2200-01-01 00:00:01Z'",
      ])
  }

  static func date(_ name: String, good: String) -> Argument {
    Argument(name, good: good, values: [("null", "ok"), ("'1900-01-01'", "ok")]).refused(
      ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'1899-12-31'", "'2999-01-01'"])
  }

  static func flag(_ name: String) -> Argument {
    Argument(name, good: "false").refused(["null"]).with([("true", "ok")])
  }

  /// A JSON object; what its keys may hold is said beside it.
  static func object(_ name: String, good: String) -> Argument {
    Argument(name, good: good)
      .refused([
        "null", "'null'", "'[]'", "'[{}]'", "'5'", "'1e400'", #"'"x"'"#, "'true'", "to_jsonb(repeat('x', 1000001))",
      ])
      .with(
        [#"'{"nope": 1}'"#, #"'{"nope": null}'"#, #"'{"": 1}'"#, "jsonb_build_object(repeat('k', 1000001), 1)"]
          .map { ($0, "SD400 key") })
  }

  /// Something that no kind above is.
  static func other(_ name: String, good: String, _ values: [(String, String)]) -> Argument {
    Argument(name, good: good, values: values)
  }
}

/// The page of a system: its functions, each with its comment, and the tables and views of `settled_reader`.
struct ReferencePage {
  let system: ReferenceSystem
  let reference: SQLReference

  var text: String {
    var parts = [
      "# \(system.title)", "The functions that apps call, and the tables and views that `settled_reader` can read.",
    ]
    parts += ["## Overview", Self.overview, examples, "## Functions"]
    parts += reference.functions.flatMap(function)
    parts += ["## Tables and views"]
    parts += reference.relations.flatMap(relation)
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static let overview = """
    This page is generated from the comments in the database. In psql, `\\df+` and `\\d+` also show these comments.
    sql/README.md contains the command that generates the page.
    Daemon.docc/CallingFromApps.md explains which calls to repeat.

    A refusal has an SQLSTATE, and its DETAIL contains the rule, such as `{"rule": "athlete"}`.
    If a key in a JSON argument is invalid, the message names the key.
    """

  private var examples: String {
    guard !system.world.isEmpty else { return "The examples run in a new database." }
    let world = system.world.map { "\($0);" }.joined(separator: "\n")
    return "The examples run in a new database with a simulated clock, after these calls.\n\n```sql\n\(world)\n```"
  }

  private func function(_ function: SQLReference.Function) -> [String] {
    let comment = function.comment
    var parts = ["### \(function.name)()", comment.summary, "```sql\n\(Self.signature(function))\n```"]
    let arguments = comment.arguments.flatMap {
      [Self.item($0, indent: "")] + $0.keys.map { Self.item($0, indent: "  ") }
    }
    if !arguments.isEmpty { parts.append(arguments.joined(separator: "\n")) }
    parts.append(comment.result)
    let rows = comment.refusals.map { refusal in
      let rules = refusal.rules.map { rule in "`\(rule.name)`" + (rule.why.map { " (\($0))" } ?? "") }
      return "| \(refusal.sqlState) | \(rules.joined(separator: ", ")) |"
    }
    parts.append(
      rows.isEmpty
        ? "This function has no refusals." : (["| SQLSTATE | rules |", "|---|---|"] + rows).joined(separator: "\n"))
    return parts + ["```sql\n\(comment.example);\n```"]
  }

  private static func signature(_ function: SQLReference.Function) -> String {
    let line = "\(function.name)(\(function.arguments)) RETURNS \(function.result)"
    guard line.count > 100 else { return line }
    let arguments = function.arguments.replacing(", ", with: ",\n  ")
    return "\(function.name)(\n  \(arguments)\n) RETURNS \(function.result)"
  }

  private static func item(_ item: FunctionComment.Item, indent: String) -> String {
    "\(indent)- `\(item.name)`\(item.kind.map { " (\($0))" } ?? ""): \(item.meaning)"
  }

  private func relation(_ relation: SQLReference.Relation) -> [String] {
    let rows = relation.columns.map { "| `\($0.name)` | \($0.type) | \($0.comment) |" }
    return [
      "### \(relation.isView ? "View" : "Table") \(relation.name)", relation.comment,
      (["| column | type | meaning |", "|---|---|---|"] + rows).joined(separator: "\n"),
    ]
  }
}

import ControlAPI
import Engine
import Postgres
import TextCoding

/// `person erase`: every module erases its data about a person, in one transaction. Ids and the ledger are kept.
package struct PersonHandler: Sendable {
  let erasures: [Erasure]

  package init(erasures: [Erasure]) {
    self.erasures = erasures
  }

  package var command: Command { Command(.personErase, .change(erase)) }

  private func erase(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (kind, id) = (call.text("kind") ?? "", call.text("id") ?? "")
    let own = erasures.filter { $0.kind == kind }
    guard !own.isEmpty else {
      var kinds: [String] = []
      for erasure in erasures where !kinds.contains(erasure.kind) { kinds.append(erasure.kind) }
      throw CommandError(.usage, rule: "kind", "kind must be one of \(kinds.joined(separator: ", "))")
    }
    var erased: [(String, JSONValue)] = []
    var kept: [JSONValue] = []
    var number: Int64?
    for erasure in own {
      let answer = try JSONValue(try await transaction.query(statement(of: erasure, id)).one(JSON.self).text)
      for (what, count) in answer["erased"]?.members.sorted(by: { $0.key < $1.key }) ?? [] {
        erased.append((what, count))
      }
      number = number ?? answer["id"]?.integer
      kept += answer["kept"]?.elements.filter { !kept.contains($0) } ?? []
    }
    let answer = JSONValue.object([("erased", .object(erased)), ("kept", .array(kept))]).json
    // The state before, and a name used as the key, are the data to erase: the audit must not contain them.
    return CommandChange(target: "\(kind) \(number.map(String.init) ?? id)", before: JSONValue.null.json, after: answer)
  }

  private func statement(of erasure: Erasure, _ id: String) throws -> Statement {
    switch erasure.statement {
    case .text(let statement): return statement(id)
    case .number(let statement):
      guard let number = Int64(id) else {
        throw CommandError(.usage, rule: "id", "an id of this kind must be a number")
      }
      return statement(number)
    }
  }
}

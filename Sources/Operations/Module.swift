package import Engine
package import Scheduling
package import Postgres

/// One system that the daemon serves, with everything that it adds to the engine. The daemon has a list of modules, and
/// names none.
///
/// A module's tables, functions, settings, wake-ups, retention and privileges are in its own folder of `sql/functions`.
package protocol Module: Sendable {
  /// The jobs, and other work.
  func works(in context: JobContext) -> [any Work]

  /// The built-in schedules.
  func schedules(in context: JobContext) -> [BuiltInSchedule]

  /// The operators' commands.
  func commands(in context: ModuleContext) -> [Command]

  /// The checks of `settlectl doctor`.
  func checks(in context: ModuleContext) -> [Check]

  /// Numbers from the database for metrics.
  var figures: [Figure] { get }

  /// The module's marks on the timeline.
  var timeline: [TimelineSource] { get }

  /// Jobs whose items hold money: these items are never dropped.
  var moneyJobs: Set<String> { get }

  /// How much money these items hold.
  var heldMoney: [HeldMoney] { get }

  /// The kinds of the problems that the module's work keeps in the database, by problem name.
  var problemKinds: [String: ProblemKind] { get }

  /// The jobs that wait for an operator after a restore, including jobs that this node's configuration leaves out.
  var stopsAfterRestore: Set<String> { get }

  /// Further jobs that wait for an operator if the database is a copy: they call other systems.
  var stopsElsewhere: Set<String> { get }

  /// Statements that delete from a copy the data that only the original may use.
  ///
  /// Each returns a JSON object of counts.
  var forks: [Statement] { get }

  /// Statements that recompute the module's stored instants from the tz data.
  var zoneUpdates: [Statement] { get }

  /// Entries of the journal that operators may search for.
  var records: [JournalRecord] { get }

  /// The erasures for a person; the module that owns the kind comes first.
  var erasures: [Erasure] { get }

  /// Values remembered outside the database, so that their loss is detected.
  var marks: [HistoryMark] { get }

  /// The job that writes the events of each topic; topics of apps and operators are left out.
  var topics: [String: String] { get }
}

extension Module {
  package func schedules(in context: JobContext) -> [BuiltInSchedule] { [] }

  package func commands(in context: ModuleContext) -> [Command] { [] }

  package func checks(in context: ModuleContext) -> [Check] { [] }

  package var figures: [Figure] { [] }

  package var timeline: [TimelineSource] { [] }

  package var moneyJobs: Set<String> { [] }

  package var heldMoney: [HeldMoney] { [] }

  package var problemKinds: [String: ProblemKind] { [:] }

  package var stopsAfterRestore: Set<String> { [] }

  package var stopsElsewhere: Set<String> { [] }

  package var forks: [Statement] { [] }

  package var zoneUpdates: [Statement] { [] }

  package var records: [JournalRecord] { [] }

  package var erasures: [Erasure] { [] }

  package var marks: [HistoryMark] { [] }

  package var topics: [String: String] { [:] }
}

/// The services that a module's commands and checks may use in addition to the database.
package struct ModuleContext: Sendable {
  package let gate: ClaimGate
  /// The newest line of a record on this node; nil if there is none.
  package let newest: @Sendable (JournalRecord) -> KeptRecord?

  package init(gate: ClaimGate, newest: @escaping @Sendable (JournalRecord) -> KeptRecord? = { _ in nil }) {
    self.gate = gate
    self.newest = newest
  }
}

/// A line of a record's file: its fields, and the host's time.
package struct KeptRecord: Sendable, Equatable {
  package let fields: [String]
  package let at: Timestamp

  package init(fields: [String], at: Timestamp) {
    self.fields = fields
    self.at = at
  }
}

/// A permanent entry of the journal: `Observation.recorded` with this text.
package struct JournalRecord: Sendable, Equatable {
  package let text: String
  /// 32 hexadecimal digits; they never change, because filters and alerts elsewhere use them.
  package let messageID: String
  /// The file in the node's state directory that also keeps the record, so that a flood of journal entries hides
  /// nothing.
  package let file: String?
  /// The fields of a line of the file, in order.
  package let fields: [String]

  package init(text: String, messageID: String, file: String? = nil, fields: [String] = []) {
    self.text = text
    self.messageID = messageID
    self.file = file
    self.fields = fields
  }
}

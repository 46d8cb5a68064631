package import Engine
package import Scheduling
package import Postgres

/// One system that the daemon serves: all that it adds to the engine. The daemon has a list of modules, and names none.
///
/// A module's tables, functions, settings, wake-ups, retention and privileges stand
/// in its own folder of `sql/functions`.
package protocol Module: Sendable {
  /// The jobs, and other work.
  func works(in context: JobContext) -> [any Work]

  /// The built-in schedules.
  func schedules(in context: JobContext) -> [BuiltInSchedule]

  /// The operators' commands.
  func commands(in context: ModuleContext) -> [Command]

  /// The checks of `settlectl doctor`.
  func checks(in context: ModuleContext) -> [Check]

  /// Numbers of the database that metrics show.
  var figures: [Figure] { get }

  /// What the timeline shows of the module's work.
  var timeline: [TimelineSource] { get }

  /// Jobs whose items hold money: they are never dropped.
  var moneyJobs: Set<String> { get }

  /// How much these items hold.
  var heldMoney: [HeldMoney] { get }

  /// The kinds of the problems that the module's work keeps in the database, by the names of these.
  var problemKinds: [String: ProblemKind] { get }

  /// The jobs that wait for an operator after a restore, those included that this node's configuration leaves out.
  var stopsAfterRestore: Set<String> { get }

  /// More jobs that wait for an operator where the database is a copy: they call other systems.
  var stopsElsewhere: Set<String> { get }

  /// Statements that make a copy of the database forget what only the original may use.
  ///
  /// Each returns a JSON object of counts.
  var forks: [Statement] { get }

  /// Statements that bring instants which the module keeps to what the tz data say.
  var zoneUpdates: [Statement] { get }

  /// Entries of the journal that operators may search for.
  var records: [JournalRecord] { get }

  /// What is erased of a person, the module that owns the kind first.
  var erasures: [Erasure] { get }

  /// What is remembered outside the database, so that its loss is noticed.
  var marks: [HistoryMark] { get }

  /// The job that writes the events of each topic; topics that apps and operators cause are left out.
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

/// The services that commands and checks of a module may use beside the database.
package struct ModuleContext: Sendable {
  package let gate: ClaimGate
  /// The newest line that this node kept of a record; nil where it kept none.
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

/// An entry of the journal that is written for good: `Observation.recorded` with this text.
package struct JournalRecord: Sendable, Equatable {
  package let text: String
  /// 32 hexadecimal digits; for ever, because they stand in other people's filters and alerts.
  package let messageID: String
  /// The file in the node's state directory that keeps the record, too, so that a
  /// flood of journal entries hides nothing.
  package let file: String?
  /// The fields that a line of the file has, in order.
  package let fields: [String]

  package init(text: String, messageID: String, file: String? = nil, fields: [String] = []) {
    self.text = text
    self.messageID = messageID
    self.file = file
    self.fields = fields
  }
}

package import Engine
package import Operations
import Postgres
package import Scheduling

/// A module that exists for a test alone: parcels are packed by a job, then posted by a leased job at a foreign server.
///
/// It shows what a sixth system needs. Source: Engine.docc/SixthSystem.md.
package struct SampleModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [
      JobRunner(PackingJob(), in: context),
      LeasedRunner(PostingJob(), in: context),
    ]
  }

  package func schedules(in context: JobContext) -> [BuiltInSchedule] {
    [
      BuiltInSchedule("stock-taking", cron: "0 6 * * *") { _, now, transaction in
        let stock: Statement = """
          INSERT INTO sample.stock (at, waiting) SELECT \(now), count(*) FROM sample.parcel WHERE receipt IS NULL
          """
        try await transaction.execute(stock)
        return 1
      }
    ]
  }

  package func commands(in context: ModuleContext) -> [Command] {
    [
      Command(
        .parcelShow,
        .read { call, transaction in
          let id = call.integer("id") ?? 0
          let shown: Statement = """
            SELECT jsonb_build_object('id', id, 'packed', packed, 'receipt', receipt) FROM sample.parcel WHERE id = \(id)
            """
          guard let parcel = try await transaction.query(shown).first(JSON.self) else {
            throw CommandError(.missing, rule: "parcel", "there is no parcel \(id)")
          }
          return parcel
        })
    ]
  }

  package func checks(in context: ModuleContext) -> [Check] {
    [
      .none(
        "parcels", "SELECT count(*) FROM sample.parcel WHERE receipt IS NULL", good: "every parcel is posted",
        bad: { "\($0) not posted" }, remedy: "settlectl failures")
    ]
  }

  package let erasures = [Erasure("sender", .text { "SELECT sample.erase_sender(\($0))" })]

  package let topics = ["parcel.packed": "parcel-packing"]
}

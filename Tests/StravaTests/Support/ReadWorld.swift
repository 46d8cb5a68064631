import Postgres
import DaemonSupport
import TestSupport

/// Athletes with active connections, whose reads are taken by functions that write down what they get.
///
/// Their number at the provider is 1000 + ours.
struct ReadWorld: Sendable {
  let world: World
  let athletes: [Int64]

  /// It is 12:15 in a simulated database: the windows of the limits have just begun.
  init(_ count: Int) async throws {
    world = try await World()
    try await world.owner.script(
      """
      CREATE TABLE public.taken (
        place bigint GENERATED ALWAYS AS IDENTITY, kind text, athlete_id bigint, activity_id bigint, content jsonb);
      CREATE FUNCTION public.take_listing(athlete_id bigint, listing jsonb) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        INSERT INTO public.taken (kind, athlete_id, content) VALUES ('listing', athlete_id, listing) $$;
      CREATE FUNCTION public.take_activity(
        athlete_id bigint, activity_id bigint, outcome text, summary jsonb, class integer, until_at timestamptz)
        RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        INSERT INTO public.taken (kind, athlete_id, activity_id, content)
          VALUES (outcome, athlete_id, activity_id, summary) $$;
      CREATE FUNCTION public.take_streams(athlete_id bigint, summary jsonb) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        INSERT INTO public.taken (kind, athlete_id, activity_id, content)
          VALUES ('streams', athlete_id, (summary ->> 'stravaId')::bigint, summary) $$;
      CREATE FUNCTION public.end_read(athlete_id bigint, kind text, activity_id bigint, summary jsonb) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        INSERT INTO public.taken (kind, athlete_id, activity_id, content)
          VALUES ('end of ' || kind, athlete_id, activity_id, summary) $$;
      ALTER TABLE public.taken OWNER TO settled_owner;
      ALTER FUNCTION public.take_listing OWNER TO settled_owner;
      ALTER FUNCTION public.take_activity OWNER TO settled_owner;
      ALTER FUNCTION public.take_streams OWNER TO settled_owner;
      ALTER FUNCTION public.end_read OWNER TO settled_owner;
      SELECT strava.register_reader('public.take_listing(bigint, jsonb)',
        'public.take_activity(bigint, bigint, text, jsonb, integer, timestamptz)',
        'public.take_streams(bigint, jsonb)', 'public.end_read(bigint, text, bigint, jsonb)')
      """)
    let node = try world.node("connecting")
    athletes = try await world.active(count)
    try await node.stop()
    try await world.advance(by: 900)
  }

  /// Asks for activities of an athlete by their ids, for an hour.
  func ask(_ athlete: Int64, _ ids: [Int64], class readClass: Int) async throws {
    try await world.owner.execute(
      """
      SELECT strava.ask_activity(\(athlete), id, settled.clock() + interval '1 hour', \(Int32(readClass)))
      FROM unnest(\(ids)) WITH ORDINALITY AS i (id, place) ORDER BY place
      """)
  }

  /// Asks for a listing of some hours of the day, for an hour.
  func askListing(_ athlete: Int64, _ hours: Range<Int>, class readClass: Int = 1) async throws {
    try await world.owner.execute(
      """
      SELECT strava.ask_listing(\(athlete), date_trunc('day', settled.clock()) + \(hours.lowerBound) * interval '1 hour',
        date_trunc('day', settled.clock()) + \(hours.upperBound) * interval '1 hour',
        settled.clock() + interval '1 hour', \(Int32(readClass)))
      """)
  }

  /// What the takers got, in its order, such as `found 7 of 1`.
  func taken() async throws -> [String] {
    try await world.owner.query(
      """
      SELECT kind || coalesce(' ' || activity_id, '') || ' of ' || athlete_id FROM public.taken ORDER BY place
      """
    ).decode(String.self)
  }

  /// The athletes of all reads so far, by our numbers.
  func readers() async throws -> [Int64] { try await world.provider.reads().map { $0.athlete - 1000 } }

  /// Waits for so many reads whose replies are written, and then for two looks in which there are no more.
  func expectReads(_ count: Int, _ node: TestNode) async throws {
    try await untilTrue("\(count) reads", within: .seconds(120)) {
      try await self.world.provider.reads().count >= count
    }
    try await untilTrue("the replies are written") {
      try await self.world.number("SELECT count(*) FROM settled.lease WHERE job = 'activity-reads'") == 0
    }
    for _ in 0..<2 { try await node.untilPolled() }
    let seen = try await world.provider.reads().count
    guard seen == count else { throw TimeLimitError(description: "\(seen) reads instead of \(count)") }
  }

  func waiting() async throws -> Int64 { try await world.number("SELECT count(*) FROM strava.read_request") }
}

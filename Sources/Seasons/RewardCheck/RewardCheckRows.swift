import Postgres

enum RewardCheckRows {
  static func changes(_ ids: [Int64]) -> Statement {
    "SELECT c.id, c.season, c.year::bigint FROM seasons.team_change AS c WHERE c.id = ANY(\(ids))"
  }

  static func changes(_ rows: Rows) throws(PostgresError) -> [TeamChange] {
    try rows.decode(Int64.self, String.self, Int64.self).map { id, season, year in
      TeamChange(id: id, season: TeamSeason(season: season, year: year))
    }
  }

  /// Adds the changes to the totals of their versions, in the order of the totals' key.
  static func add(_ ids: [Int64]) -> Statement {
    """
    WITH gone AS (DELETE FROM seasons.team_change AS c WHERE c.id = ANY(\(ids)) RETURNING c.*)
    INSERT INTO seasons.team_total AS t (season, year, version, moved, earned)
    SELECT g.season, g.year, g.version, sum(g.moved), sum(g.earned) FROM gone AS g
    GROUP BY g.season, g.year, g.version HAVING sum(g.moved) <> 0 OR sum(g.earned) <> 0
    ORDER BY g.season, g.year, g.version
    ON CONFLICT ON CONSTRAINT team_total_once
      DO UPDATE SET moved = t.moved + excluded.moved, earned = t.earned + excluded.earned
    """
  }

  static func recordReached(_ team: TeamSeason) -> Statement {
    "SELECT seasons.record_reached(\(team.season), \(team.year)::integer)"
  }

  /// Locks the rewards that are reached and that nobody holds; returns the seasons of those that somebody does.
  static func lockFree(_ teams: [TeamSeason]) -> Statement {
    """
    WITH reached AS MATERIALIZED (
      SELECT s.season, s.year, r.reward_id
      FROM unnest(\(teams.map(\.season)), \(teams.map(\.year))) AS s(season, year),
        LATERAL seasons.reached(s.season, s.year::integer) AS r
    ), free AS MATERIALIZED (
      SELECT w.id FROM seasons.reward AS w WHERE w.id IN (SELECT reward_id FROM reached)
      ORDER BY w.id FOR NO KEY UPDATE SKIP LOCKED
    )
    SELECT DISTINCT r.season, r.year FROM reached AS r WHERE r.reward_id NOT IN (SELECT id FROM free)
    """
  }

  static func seasons(_ rows: Rows) throws(PostgresError) -> Set<TeamSeason> {
    Set(try rows.decode(String.self, Int64.self).map { TeamSeason(season: $0, year: $1) })
  }
}

/// Single conditions that one caller recognises, by name: the only places beside the verdicts that read SQLSTATEs.
extension PostgresError {
  /// The status of a rule's refusal: 409 of SD409.
  package var refusalStatus: Int? {
    guard let sqlState, sqlState.count == 5, sqlState.hasPrefix("SD") else { return nil }
    return Int(sqlState.dropFirst(2))
  }

  /// Raised by a function or a trigger that is not PostgreSQL's own: RAISE EXCEPTION, or a class that no standard uses.
  package var isRaisedByApplication: Bool {
    guard let sqlState, let first = sqlState.unicodeScalars.first else { return false }
    if sqlState == "P0001" { return true }
    let isFree = ("5"..."9").contains(first) || ("I"..."Z").contains(first)
    return isFree && !["53", "54", "55", "57", "58", "72", "P0", "XX"].contains(sqlState.prefix(2))
  }

  /// A prepared statement is there that this connection did not make, or is gone: others use its session, too.
  package var isOfSharedSession: Bool { sqlState == "42P05" || sqlState == "26000" }

  /// A prepared statement returned other columns when it was prepared: prepared again, it succeeds.
  var isOutdatedPlan: Bool { sqlState == "0A000" && routine == "RevalidateCachedQuery" }

  /// The state of a lock that was not to be had in time.
  package static let lockedState = "55P03"

  /// The role lacks a right.
  package var isDenied: Bool { sqlState == "42501" }

  /// A login was refused, or its database is not there.
  var isOfLogin: Bool { sqlState.map { $0.hasPrefix("28") || $0 == "3D000" } ?? false }

  /// The server quotes a value that it cannot read.
  package var isOfData: Bool { sqlState?.hasPrefix("22") ?? false }

  /// The value would be larger than PostgreSQL can make one.
  package var isTooLarge: Bool { sqlState == "54000" }

  /// Somebody else made the same row or object at the same time.
  package var isDuplicate: Bool { ["42P06", "42P07", "23505"].contains(sqlState) }

  /// CREATE OR REPLACE would change what a function returns, or the columns of a view.
  package var isOtherResult: Bool { ["42P13", "42P16"].contains(sqlState) }
}

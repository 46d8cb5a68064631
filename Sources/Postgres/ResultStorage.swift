internal import CLibpq

/// Owns one `PGresult`; it does not change any more, so every task may read it.
final class ResultStorage: @unchecked Sendable {
  private let result: OpaquePointer
  let rowCount: Int
  let columnCount: Int

  init(_ result: OpaquePointer) {
    self.result = result
    rowCount = Int(PQntuples(result))
    columnCount = Int(PQnfields(result))
  }

  deinit { PQclear(result) }

  var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }
  var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  var status: ExecStatusType { PQresultStatus(result) }
  var serverMessage: ServerMessage? { ServerMessage(result: result) }

  /// libpq's own message; the server's errors have a `serverMessage`.
  var errorMessage: String { PQresultErrorMessage(result).map { String(cString: $0).firstLine } ?? "" }

  func name(_ column: Int) -> String { PQfname(result, Int32(column)).map { String(cString: $0) } ?? "" }

  func type(_ column: Int) -> PostgresType { PostgresType(rawValue: PQftype(result, Int32(column))) }

  /// Reads one field; the error names the column and what it holds.
  func decode<Value: PostgresDecodable>(_: Value.Type, row: Int, column: Int) throws(PostgresError) -> Value {
    precondition(row < rowCount && column < columnCount, "the field is outside the result")
    let (line, field) = (Int32(row), Int32(column))
    let isNull = PQgetisnull(result, line, field) == 1
    let bytes =
      isNull
      ? nil
      : UnsafeRawBufferPointer(
        start: PQgetvalue(result, line, field), count: Int(PQgetlength(result, line, field)))
    do {
      return try Value.decode(Cell(type: type(column), bytes: bytes))
    } catch {
      let place = "column \"\(name(column))\" (\(column + 1) of \(columnCount)), row \(row + 1)"
      throw PostgresError(.decoding, "\(place): expected \(error.wanted), got \(error.got)")
    }
  }

  func requireColumns(_ count: Int) throws(PostgresError) {
    guard count == columnCount else {
      let names = (0..<columnCount).map(name).joined(separator: ", ")
      throw PostgresError(.decoding, "expected \(count) columns, got \(columnCount): \(names)")
    }
  }
}

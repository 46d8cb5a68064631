import Cron
import Testing

@Suite("Cron expressions") struct CronExpressionTests {
  @Test(arguments: [
    ("", 1, "fields"), ("* * * *", 8, "5 fields"), ("* * * * * * *", 13, "5 fields"), ("60 * * * *", 1, "0 to 59"),
    ("* 24 * * *", 3, "0 to 23"), ("* * 0 * *", 5, "1 to 31"), ("* * * 13 *", 7, "1 to 12"),
    ("* * * * 8", 9, "0 to 7"), ("1,2,x * * * *", 5, "not a minute"), ("5-3 * * * *", 3, "reversed"),
    ("*/0 * * * *", 3, "step"), ("*/ * * * *", 3, "step"), ("1,,2 * * * *", 3, "is missing a number"),
    ("* * * foo *", 7, "not a month"), ("@often", 1, "@"), ("@daily 1", 1, "must be one of"),
    ("0 0 30 2 *", 5, "does not exist"),
    ("0 0 L * *", 5, "not a day of month"), ("0 0 * * 1#2", 9, "not a day of week"),
    ("-1 * * * *", 1, "is missing a number"),
    ("* * * * mon-sun", 13, "is 7"), ("CRON_TZ=Europe/London 0 9 * * *", 1, "--zone"), ("TZ=UTC @daily", 1, "--zone"),
    ("@reboot", 1, "@"),
  ])
  func `bad cron expressions are refused with position and reason`(text: String, position: Int, reason: String) {
    let error = #expect(throws: ScheduleError.self) { try CronExpression(text) }
    #expect(error?.position == position, "\(text): \(error.map(String.init(describing:)) ?? "")")
    #expect(error?.reason.contains(reason) ?? false, "\(text): \(error?.reason ?? "")")
  }

  @Test(arguments: [
    ("0 0 * * *", true), ("30 1-3 * * *", true), ("*/2 1 * * *", false), ("0 * * * *", false), ("0 */2 * * *", false),
    ("@daily", true), ("@hourly", false), ("@midnight", true), ("@annually", true), ("5 30 1 * * *", true),
  ])
  func `a cron expression has fixed times when neither minute nor hour starts with a star`(text: String, isFixed: Bool)
    throws
  {
    #expect(try CronExpression(text).isFixedTime == isFixed)
  }

  @Test func `cron expressions mean the same by nickname, by name, and with Sunday as 0 or 7`() throws {
    let week = 7 * 86_400 as Int64
    let ticks = { (text: String) throws in
      Ticks(.cron(try CronExpression(text)), .utc).first(50, after: 0, through: 60 * week).map(\.instant)
    }
    for (one, other) in [
      ("@weekly", "0 0 * * sun"), ("0 0 * * 7", "0 0 * * 0"), ("0 0 * JAN-mar mon", "0 0 0 * 1-3 1"),
      ("@yearly", "0 0 1 1 *"), ("@monthly", "0 0 1 * *"), ("@hourly", "0 0 * * * *"), ("0 0 * * 5-7", "0 0 * * 0,5,6"),
    ] {
      #expect(try ticks(one) == ticks(other))
      #expect(try !ticks(one).isEmpty)
    }
  }
}

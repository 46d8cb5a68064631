import ControlAPI

/// The values that requests of several systems have, with the limits that the functions of the contract hold.
///
/// A test sends the last value within each limit, and the first beyond it.
extension AnswerSchema {
  /// As many characters as a text of the contract may have.
  static let words = text.length(0...10_000)
  static let someWords = text.length(1...10_000)

  /// An id as text: what is none is the id of nothing, so that it is 404.
  static let idText = text.pattern("^[1-9][0-9]{0,17}$").example("4711")

  /// A name that people are shown: it has a character that can be seen.
  static let shownName = someWords.pattern(visible).meaning("with at least one visible character").example("Ann")

  /// A year of four digits; in a body it may be a number.
  static let yearText = text.pattern("^[0-9]{4}$").example("2031")
  static let year = anyOf([yearText, integer.range(1000...9999).example(json: "2031")])

  static let season = choice(["xc", "track"])
  static let team = choice(["UA", "NU"])

  static let uuidText = text.format("uuid").example("7b6f0c5e-3f1d-4c53-9a51-0a4f3a0b8d11")

  static let userType = choice(["racer", "spectator"])

  static let email = text.format("email").length(3...254).pattern(address).example("ann@example.org")

  /// The address or username of a login.
  static let loginName = text.length(1...254).example("ann@example.org")

  static let newPassword = text.length(PasswordRules.characters).example("correct horse")

  static let timeZone = text.pattern("^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$")
    .meaning("a name from the IANA time zone database, or UTC").example("Europe/London")

  /// Pounds that are paid in or out.
  static let pounds = number.range("0.01", "1000000").step("0.01").meaning("pounds, in whole pence")
    .example(json: "4.99")

  static let degreesNorth = number.range("-90", "90").meaning("degrees north").example(json: "51.4821")
  static let degreesEast = number.range("-180", "180").meaning("degrees east").example(json: "-0.2207")

  /// Of `settled.shown_name`: neither white space nor a character that shows nothing.
  private static let visible =
    #"[^\s\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F"#
    + #"\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB]"#

  /// Of `accounts.check_email`, in capitals too.
  private static let address =
    #"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"#
    + #"(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$"#
}

import ControlAPI
import Markup
import TextCoding

extension Part {
  private static let racesMax = 6

  static let reviewMatrix = Part("matrix", width: .quarter, watches: ["activity.*", "race.*", "command.*"]) { state in
    state.reviewAsk.map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = state.reviewAsk, let id = state.activityId else { return HTML() }
    return replies.card("What each decision pays", ask, state) { review in
      let activity = review["activity"] ?? .null
      let athlete = (id: activity.whole("athleteId"), name: activity.shown("displayName"))
      let affected = review.list("affected")
      var content = affected.prefix(racesMax).flatMap { race -> [HTML] in
        let raceId = race.shown("raceId")
        return [
          .tag("h3", "pad", [.link(["races", raceId], text: "Race \(raceId)")]),
          DecisionMatrix(affected: race, athlete: athlete).html(state),
        ]
      }
      if affected.isEmpty {
        content.append(.none("The activity does not count in any race, so no decision moves money."))
      }
      if affected.count > racesMax { content.append(.none("and \(affected.count - racesMax) more races")) }
      content.append(Consequences.html(review, state))
      content.append(decisions(review, activity, id, state))
      let hash = review["effectsHash"]?.text
      return CardContent(
        right: hash.map { hash in
          .element(
            "span",
            [
              Attribute("class", "mono muted"),
              Attribute("title", "a hash of the effects shown here; if they change, the decision is refused"),
            ],
            text: "effects \(hash.prefix(8))")
        } ?? HTML(), content)
    }
  }

  private static func decisions(_ review: JSONValue, _ activity: JSONValue, _ id: Int64, _ state: PageState) -> HTML {
    let hash = review["effectsHash"]?.text.flatMap { $0.utf8.count <= 128 ? $0 : nil }
    func dialog(
      _ command: CommandDescription, _ name: String, _ label: String, _ key: Character?, _ tone: String, _ after: HTML
    ) -> ChangeDialog {
      // A former daemon has no hash, and refuses an argument that it does not know.
      var dialog =
        if let hash, command.parameter("expectHash") != nil {
          ChangeDialog(command, ["id": .integer(id), "expectHash": .text(hash)], id: name, label: label)
        } else {
          ChangeDialog(command, ["id": .integer(id)], id: name, label: label)
        }
      (dialog.key, dialog.tone) = (key, tone)
      dialog.before = StateText.html(activity.shown("status"))
      dialog.after = after
      return dialog
    }
    var overrule = dialog(
      .reviewOverrule, "overrule", "Overrule", nil, "warn", .text("Moderators can no longer review this activity."))
    overrule.fields = ["decision"]
    overrule.choices = ["decision": ["approve", "disqualify"]]
    // A decision that would be refused has no button. A former daemon names no refusal.
    let refusals = review["refusals"]
    let all = [
      ("approve", dialog(.reviewApprove, "approve", "Approve", "a", "good", Consequences.approval(review, state))),
      (
        "disqualify",
        dialog(.reviewDisqualify, "disqualify", "Disqualify", "d", "bad", Consequences.disqualification(review))
      ),
      (
        "requestInfo",
        dialog(.reviewRequestInfo, "request-info", "Request info", "i", "accent", Consequences.question(review, state))
      ),
      ("overrule", overrule),
    ]
    let refused = all.compactMap { name, dialog -> String? in
      let rule = refusals?.shown(name) ?? ""
      return rule.isEmpty ? nil : "\(dialog.label.lowercased()) (\(words(rule)))"
    }
    let dialogs = all.filter { name, _ in refusals?.shown(name).isEmpty ?? true }.map { $1.html(state) }
    return (refused.isEmpty ? HTML() : .none("Currently refused: \(refused.joined(separator: ", "))"))
      + (dialogs.allSatisfy(\.isEmpty) ? HTML() : .tag("div", "act", dialogs))
  }

  /// The rule that refuses a decision, in words.
  private static func words(_ rule: String) -> String {
    switch rule {
    case "decided": "the activity already has a decision"
    case "window": "the review window has ended"
    case "status": "nothing is open"
    case "same": "the decision already stands"
    default: rule
    }
  }
}

/// How good something is, as the name of a class. A sign and a word always stand beside the colour.
enum Mood: String {
  case good, warn, bad, accent, muted

  /// A sign and a colour for a state; words that are unknown here have a dot.
  static func of(_ state: String) -> (sign: String, mood: Mood) {
    switch state {
    case "ready", "ran", "done", "settled", "completed", "verified", "active", "ok", "paid", "closed", "approve":
      ("●", .good)
    case "idle": ("·", .muted)
    case "running", "claimed", "entered", "connecting", "asked": ("▸", .accent)
    case "paused", "draining": ("■", .warn)
    case "degraded", "under_review", "open", "ended", "held", "needs_reauth", "missed": ("▲", .warn)
    case "skipped": ("◌", .warn)
    case "failed", "quarantined": ("▲", .bad)
    case "gone", "disqualified", "disqualify", "stopped": ("✕", .bad)
    case "cancelled", "rejected", "revoked", "refunded", "dropped", "void": ("✕", .muted)
    case "planned", "upcoming", "pending": ("○", .muted)
    case "coalesced": ("≡", .muted)
    case "info_requested", "request_info": ("?", .accent)
    default: ("·", .muted)
    }
  }
}

import Achievements
import CheckIns
package import Engine
import Racing
import Seasons

/// What this daemon is composed of.
package enum Modules {
  package static let all: [any Module] = [RacingModule(), CheckInsModule(), SeasonsModule(), AchievementsModule()]
}

/** The table of all commands: name, description, arguments and options, an example. */

import { BRIEFING_COMMANDS } from '../briefing/commands/briefing.ts'
import { BUNDLE_COMMANDS, RESTORE_COMMANDS, TRUST_COMMANDS } from '../copies/commands/copies.ts'
import { HAND_COMMANDS } from '../edit/commands/by-hand.ts'
import { CONCEPT_COMMANDS, FACT_COMMANDS } from '../edit/commands/facts.ts'
import { NOTES_COMMANDS, PAGE_COMMANDS } from '../edit/commands/notes.ts'
import { RULES_COMMANDS } from '../edit/commands/rules.ts'
import { SHOW_COMMANDS } from '../edit/commands/show.ts'
import { CARE_COMMANDS } from '../forget/commands/care.ts'
import { FORGET_COMMANDS } from '../forget/commands/forget.ts'
import { PEOPLE_COMMANDS } from '../health/commands/doctor.ts'
import { SETUP_COMMANDS } from '../health/commands/setup.ts'
import { UPKEEP_COMMANDS } from '../health/commands/upkeep.ts'
import type { Command } from '../memory/commands/command.ts'
import { IMPORT_COMMANDS, MIGRATE_COMMANDS } from '../migrate/commands/migrate.ts'
import { DELTA_COMMANDS } from '../notes/commands/delta.ts'
import { SUMMARY_COMMANDS } from '../notes/commands/summary.ts'
import { RECALL_COMMANDS } from '../recall/commands/recall.ts'
import { SEARCH_COMMANDS } from '../search/commands/timeline.ts'
import { CAPTURE_COMMANDS, SESSIONS_COMMANDS } from '../sessions/commands/sessions.ts'
import { VERIFY_COMMANDS } from '../sessions/commands/verify.ts'
import { SYNC_COMMANDS } from '../sync/commands/sync.ts'
import { withTeamSearch } from '../team/commands/search.ts'
import { TEAM_COMMANDS } from '../team/commands/team.ts'
import { DASHBOARD_COMMANDS } from './dashboard.ts'
import { runDemo } from './demo.ts'
import { SKILL_COMMANDS } from './skill.ts'

export const COMMANDS: readonly Command[] = [
  ...IMPORT_COMMANDS,
  ...VERIFY_COMMANDS,
  ...SESSIONS_COMMANDS,
  ...SHOW_COMMANDS,
  ...SEARCH_COMMANDS.map((command) => (command.usage.startsWith('search ') ? withTeamSearch(command) : command)),
  ...RECALL_COMMANDS,
  ...SKILL_COMMANDS,
  ...NOTES_COMMANDS,
  ...FACT_COMMANDS,
  ...CONCEPT_COMMANDS,
  ...HAND_COMMANDS,
  ...BUNDLE_COMMANDS,
  ...DELTA_COMMANDS,
  ...SUMMARY_COMMANDS,
  ...BRIEFING_COMMANDS,
  ...UPKEEP_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...CAPTURE_COMMANDS,
  ...DASHBOARD_COMMANDS,
  ...SETUP_COMMANDS,
  ...FORGET_COMMANDS,
  ...CARE_COMMANDS,
  ...TRUST_COMMANDS,
  ...TEAM_COMMANDS,
  ...RESTORE_COMMANDS,
  ...SYNC_COMMANDS,
  ...MIGRATE_COMMANDS,
  {
    usage: 'demo',
    about: 'the whole memory cycle on sample sessions, in seconds, without Claude',
    example: 'memory-keeper demo',
    needsTerminal: true,
    run: (world, options) => runDemo(world, options, COMMANDS),
  },
  ...RULES_COMMANDS,
  ...PAGE_COMMANDS,
]

/** The table of all commands: name, description, arguments and options, an example. */

import { BRIEFING_COMMANDS } from '../../core/briefing/commands/briefing.ts'
import { HAND_COMMANDS } from '../../core/edit/commands/by-hand.ts'
import { CONCEPT_COMMANDS, FACT_COMMANDS } from '../../core/edit/commands/facts.ts'
import { NOTES_COMMANDS, PAGE_COMMANDS } from '../../core/edit/commands/notes.ts'
import { RULES_COMMANDS } from '../../core/edit/commands/rules.ts'
import { SHOW_COMMANDS } from '../../core/edit/commands/show.ts'
import { CARE_COMMANDS } from '../../core/forget/commands/care.ts'
import { FORGET_COMMANDS } from '../../core/forget/commands/forget.ts'
import { PEOPLE_COMMANDS } from '../../core/health/commands/doctor.ts'
import { SETUP_COMMANDS } from '../../core/health/commands/setup.ts'
import { UPKEEP_COMMANDS } from '../../core/health/commands/upkeep.ts'
import { DELTA_COMMANDS } from '../../core/notes/commands/delta.ts'
import { SUMMARY_COMMANDS } from '../../core/notes/commands/summary.ts'
import { RECALL_COMMANDS } from '../../core/recall/commands/recall.ts'
import { SEARCH_COMMANDS } from '../../core/search/commands/timeline.ts'
import { BUNDLE_COMMANDS, RESTORE_COMMANDS, TRUST_COMMANDS } from '../../extras/bundle/commands/copies.ts'
import { runDemo } from '../../extras/demo/commands/demo.ts'
import { IMPORT_COMMANDS, MIGRATE_COMMANDS } from '../../extras/migrate/commands/migrate.ts'
import { DASHBOARD_COMMANDS } from '../../extras/page/commands/dashboard.ts'
import { SYNC_COMMANDS } from '../../extras/sync/commands/sync.ts'
import { withTeamSearch } from '../../extras/team/commands/search.ts'
import { TEAM_COMMANDS } from '../../extras/team/commands/team.ts'
import type { Command } from '../../kernel/memory/commands/command.ts'
import { CAPTURE_COMMANDS, SESSIONS_COMMANDS } from '../../kernel/sessions/commands/sessions.ts'
import { VERIFY_COMMANDS } from '../../kernel/sessions/commands/verify.ts'
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

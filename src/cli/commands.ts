/** The table of all commands: name, what it does, its arguments and options, an example. */

import { BRIEFING_COMMANDS } from '../briefing/commands/briefing.ts'
import { BUNDLE_COMMANDS, RESTORE_COMMANDS, TRUST_COMMANDS } from '../copies/commands/copies.ts'
import { HAND_COMMANDS } from '../edit/commands/by-hand.ts'
import { CONCEPT_COMMANDS, FACT_COMMANDS } from '../edit/commands/facts-change.ts'
import { NOTES_COMMANDS, PAGE_COMMANDS } from '../edit/commands/notes.ts'
import { RULES_COMMANDS } from '../edit/commands/rules.ts'
import { SHOW_COMMANDS } from '../edit/commands/show.ts'
import { CARE_COMMANDS } from '../forget/commands/care.ts'
import { FORGET_COMMANDS } from '../forget/commands/forget.ts'
import { COMPRESS_COMMANDS } from '../health/commands/compress.ts'
import { CONFIG_COMMANDS } from '../health/commands/config.ts'
import { COUNTER_COMMANDS } from '../health/commands/counter.ts'
import { PEOPLE_COMMANDS } from '../health/commands/doctor.ts'
import type { Command } from '../memory/commands/command.ts'
import { IMPORT_COMMANDS, MIGRATE_COMMANDS } from '../migrate/commands/migrate.ts'
import { DELTA_COMMANDS } from '../notes/commands/delta.ts'
import { SUMMARY_COMMANDS } from '../notes/commands/summary.ts'
import { RECALL_COMMANDS } from '../recall/commands/recall.ts'
import { SEARCH_COMMANDS } from '../search/commands/timeline.ts'
import { SESSIONS_COMMANDS } from '../sessions/commands/sessions.ts'
import { VERIFY_COMMANDS } from '../sessions/commands/verify.ts'
import { DASHBOARD_COMMANDS } from './dashboard.ts'
import { runDemo } from './demo.ts'
import { SKILL_COMMANDS } from './skill.ts'

export const COMMANDS: readonly Command[] = [
  ...IMPORT_COMMANDS,
  ...VERIFY_COMMANDS,
  ...SESSIONS_COMMANDS,
  ...SHOW_COMMANDS,
  ...SEARCH_COMMANDS,
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
  ...COMPRESS_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...DASHBOARD_COMMANDS,
  ...CONFIG_COMMANDS,
  ...COUNTER_COMMANDS,
  ...FORGET_COMMANDS,
  ...CARE_COMMANDS,
  ...TRUST_COMMANDS,
  ...RESTORE_COMMANDS,
  ...MIGRATE_COMMANDS,
  {
    usage: 'demo',
    about: 'the whole memory cycle on sample sessions, in seconds, without Claude',
    example: 'memory-keeper demo',
    isLive: true,
    needsTerminal: true,
    run: (world, options) => runDemo(world, options),
  },
  ...RULES_COMMANDS,
  ...PAGE_COMMANDS,
]

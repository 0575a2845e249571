/** The table of all commands: name, description, arguments and options, an example. */

import { BRIEFING_COMMANDS } from '../../core/briefing/commands/briefing.ts'
import { HAND_COMMANDS } from '../../core/edit/commands/by-hand.ts'
import { CONCEPT_COMMANDS, FACT_COMMANDS } from '../../core/edit/commands/facts.ts'
import { NOTES_COMMANDS, PAGE_COMMANDS } from '../../core/edit/commands/notes.ts'
import { RULES_COMMANDS } from '../../core/edit/commands/rules.ts'
import { SHOW_COMMANDS } from '../../core/edit/commands/show.ts'
import { VERB_COMMANDS } from '../../core/edit/commands/verbs.ts'
import { FORGET_COMMANDS } from '../../core/forget/commands/forget.ts'
import { PEOPLE_COMMANDS } from '../../core/health/commands/doctor.ts'
import { SETUP_COMMANDS } from '../../core/health/commands/setup.ts'
import { UPKEEP_COMMANDS } from '../../core/health/commands/upkeep.ts'
import { DELTA_COMMANDS } from '../../core/notes/commands/delta.ts'
import { SUMMARY_COMMANDS } from '../../core/notes/commands/summary.ts'
import { RECALL_COMMANDS } from '../../core/recall/commands/recall.ts'
import { SEARCH_COMMANDS } from '../../core/search/commands/timeline.ts'
import { CARE_COMMANDS } from '../../core/vault/commands/care.ts'
import { RESTORE_COMMANDS } from '../../core/vault/commands/restore.ts'
import { TRUST_COMMANDS } from '../../core/vault/commands/trust.ts'
import { type Command, nameOf } from '../../kernel/memory/commands/command.ts'
import type { CliWorld } from '../../kernel/memory/commands/context.ts'
import { IMPORT_COMMANDS } from '../../kernel/sessions/commands/import.ts'
import { CAPTURE_COMMANDS, SESSIONS_COMMANDS } from '../../kernel/sessions/commands/sessions.ts'
import { VERIFY_COMMANDS } from '../../kernel/sessions/commands/verify.ts'
import { EXTRAS } from '../bin/extras.ts'
import { SKILL_COMMANDS } from './skill.ts'

const CORE_COMMANDS: readonly Command[] = [
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
  ...VERB_COMMANDS,
  ...DELTA_COMMANDS,
  ...SUMMARY_COMMANDS,
  ...BRIEFING_COMMANDS,
  ...UPKEEP_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...CAPTURE_COMMANDS,
  ...SETUP_COMMANDS,
  ...FORGET_COMMANDS,
  ...CARE_COMMANDS,
  ...TRUST_COMMANDS,
  ...RESTORE_COMMANDS,
  ...RULES_COMMANDS,
  ...PAGE_COMMANDS,
]

export const COMMANDS: readonly Command[] = [...CORE_COMMANDS, ...EXTRAS.flatMap(({ commands = [] }) => commands)].map(
  (command) => EXTRAS.reduce((made, { extendCommand }) => extendCommand?.(made) ?? made, command),
)

/** For commands that run others. */
export const runCommand: NonNullable<CliWorld['runCommand']> = (name, world, options, args) =>
  COMMANDS.find((command) => nameOf(command) === name)?.run(
    { ...world, runCommand },
    options as Record<string, never>,
    args,
  ) ?? 0

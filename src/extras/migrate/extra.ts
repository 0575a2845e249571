/** Migrate: what earlier versions, the original plugin and claude-mem left. */
import type { Extra } from '../../core/extra.ts'
import type { MemoryFile } from '../../core/files.ts'
import { FACTS_FILE } from '../../kernel/platform/layout.ts'
import { migrateInBackground } from './background.ts'
import { MIGRATE_COMMANDS, withImportFrom } from './commands/migrate.ts'
import { waitingMemory } from './disk/migrate.ts'
import { isEarlier } from './disk/migrate-files.ts'
import { factsInTodaysForm } from './legacy-facts.ts'
import { findingsWith } from './start.ts'

export const migrate: Extra = {
  ...migrateInBackground,
  commands: MIGRATE_COMMANDS,
  extendCommand: (command) => (command.usage === 'import' ? withImportFrom(command) : command),
  findings: findingsWith(waitingMemory),
  earlier: { isIn: isEarlier, inTodaysForm },
}

/** Of 0.5, which is the first version that stores files as this one does. */
function inTodaysForm(files: readonly MemoryFile[]): MemoryFile[] {
  return files.map((file) => (file.path === FACTS_FILE ? { ...file, text: factsInTodaysForm(file.text) } : file))
}

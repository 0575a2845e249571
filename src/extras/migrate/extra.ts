/** Migrate: what earlier versions, the original plugin and claude-mem left. */
import type { Extra, JoinFrom } from '../../core/extra.ts'
import type { Store } from '../../kernel/memory/disk/store.ts'
import { migrateInBackground } from './background.ts'
import { MIGRATE_COMMANDS, withImportFrom } from './commands/migrate.ts'
import { performMigration, planFrom, waitingMemory } from './disk/migrate.ts'
import { isEarlier, type MigrateOrigin, takenOver } from './disk/migrate-files.ts'
import { findingsWith } from './start.ts'

export const migrate: Extra = {
  ...migrateInBackground,
  commands: MIGRATE_COMMANDS,
  extendCommand: (command) => (command.usage === 'import' ? withImportFrom(command) : command),
  findings: findingsWith(waitingMemory),
  joinMemory: {
    isEarlier,
    plan: (store, from, now) => {
      const { effects, left } = planFrom(store, originOf(from), optionsOf(store, now))
      return { effects, left, isKnown: takenOver(store, from.dir) !== null }
    },
    perform: (store, from, now) => performMigration(store, originOf(from), optionsOf(store, now)).backup,
  },
}

/** A copy or the memory at home: this version made it for this project. */
function originOf(from: JoinFrom): MigrateOrigin {
  return { ...from, isInPlace: false, isOurs: true }
}

function optionsOf({ config }: Store, now: string): { timezone: string; now: string } {
  return { timezone: config.timezone, now }
}

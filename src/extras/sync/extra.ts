/** Sync: the user's other machines, by git. */
import type { Extra } from '../../core/extra.ts'
import { SYNC_COMMANDS } from './commands/sync.ts'
import { syncLine } from './disk/record.ts'
import { syncProject } from './disk/sync.ts'

/** Another project's finisher may be syncing. */
const WAIT_MS = 60_000

export const sync: Extra = {
  name: 'sync',
  commands: SYNC_COMMANDS,
  steps: [
    {
      name: 'sync',
      when: 'settled',
      isForEmpty: true,
      run: (store, { env, platform, now }) => syncProject(store, { env, platform, now, waitMs: WAIT_MS }),
    },
  ],
  checks: [
    [
      'sync',
      ({ store }) => {
        const line = syncLine(store.places.keeperDir, store.config.timezone)
        if (line === null) return { verdict: 'ok', finding: 'off' }
        if (line.isFine) return { verdict: 'ok', finding: line.text }
        return { verdict: 'warning', finding: line.text, fix: 'memory-keeper sync status' }
      },
    ],
  ],
  statusRows: (store) => {
    const value = syncLine(store.places.keeperDir, store.config.timezone)
    return [{ key: 'sync', value, line: value === null ? null : { label: 'sync', ...value } }]
  },
}

/** Sync: the user's other machines, by git. */
import type { Extra } from '../../core/extra.ts'
import { syncInBackground } from './background.ts'
import { SYNC_COMMANDS } from './commands/sync.ts'
import { syncLine } from './disk/record.ts'

export const sync: Extra = {
  ...syncInBackground,
  commands: SYNC_COMMANDS,
  findings: [
    [
      'sync',
      ({ store }) => {
        const line = syncLine(store.places.homeDir, store.config.timezone)
        if (line === null) return { verdict: 'ok', finding: 'off' }
        if (line.isFine) return { verdict: 'ok', finding: line.text }
        return { verdict: 'warning', finding: line.text, fix: 'memory-keeper sync status' }
      },
      'status',
    ],
  ],
  statusRows: (store) => {
    const value = syncLine(store.places.homeDir, store.config.timezone)
    return [{ key: 'sync', value, line: value?.isFine === true ? { label: 'sync', text: value.text } : null }]
  },
}

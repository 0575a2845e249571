/** The finisher's part of sync: fetches the memory of the user's other machines, and sends this machine's. */
import type { Extra } from '../../core/extra.ts'
import { syncProject } from './disk/sync.ts'

/** Another project's finisher may be syncing. */
const WAIT_MS = 60_000

export const syncInBackground: Extra = {
  name: 'sync',
  steps: [
    {
      name: 'sync',
      when: 'settled',
      isForEmpty: true,
      run: (store, { env, platform, now }) => syncProject(store, { env, platform, now, waitMs: WAIT_MS }),
    },
  ],
}

/** The finisher's part of team: sends waiting rows and reads new ones. */
import type { Extra } from '../../core/extra.ts'
import { CLIENT_FILE, type TeamClient, teamWork } from './disk/work.ts'

export const teamInBackground: Extra = {
  name: 'team',
  steps: [
    {
      name: 'team',
      when: 'copied',
      run: (store, world) =>
        teamWork(store, { ...world, loadTeam: () => world.loadProgram(CLIENT_FILE) as TeamClient }),
    },
  ],
}

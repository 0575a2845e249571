/** Team: notes and facts shared through a PostgreSQL server. */
import type { Extra } from '../../core/extra.ts'
import { teamInBackground } from './background.ts'
import { withTeamSearch } from './commands/search.ts'
import { TEAM_COMMANDS } from './commands/team.ts'
import { teamLine } from './disk/home.ts'

export const team: Extra = {
  ...teamInBackground,
  commands: TEAM_COMMANDS,
  extendCommand: (command) => (command.usage.startsWith('search ') ? withTeamSearch(command) : command),
  findings: [
    [
      'team',
      ({ store: { places, config } }) => {
        const line = teamLine(places, config.timezone)
        if (line === null) return { verdict: 'ok', finding: 'you are in no team' }
        if (!line.isFault) return { verdict: 'ok', finding: line.text }
        return { verdict: 'warning', finding: line.text, fix: 'memory-keeper team status shows more' }
      },
      'status',
    ],
  ],
  statusRows: ({ places, config }) => {
    const value = teamLine(places, config.timezone)
    return [{ key: 'team', value, line: value?.isFault === false ? { label: 'team', text: value.text } : null }]
  },
}

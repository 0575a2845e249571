/** An agent with a name that writes a message to the session that started it. */
import type { Terminal } from './terminal.ts'
import { says, uses } from './turn.ts'
import type { World } from './world.ts'

export const FOUND = 'I found the harbour: seven cranes.'
/** Its last words. In a team the current host puts them into the notice that the scout is idle. */
export const REPORTED = 'Reported.'

/** With it, agents that have a name are teammates of the session. */
export const TEAMS = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }

/** `to`: what the scout calls the session, `team-lead` in a team and `main` otherwise. */
export async function sendScout(world: World, terminal: Terminal, to: 'team-lead' | 'main'): Promise<void> {
  world.model.onSubagent([uses('SendMessage', { to, message: FOUND, summary: 'cranes found' }), says(REPORTED)])
  const scout = { description: 'look', prompt: 'look around', subagent_type: 'general-purpose', name: 'scout' }
  world.model.script([uses('Agent', scout), says('The scout is on the way.')])
  // Each message that arrives while the session is idle starts a turn.
  world.model.script(() => says('Noted.'))
  await terminal.say('send a scout')
}

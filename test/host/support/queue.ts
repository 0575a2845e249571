/** A prompt that the user types while Claude works. */
import type { Terminal } from './terminal.ts'
import { says, uses } from './turn.ts'
import type { World } from './world.ts'

/** Runs until it is killed, and is easy to find. */
const ENDLESS = 'tail -f /dev/null'

/** The host works, and a prompt waits in its queue. Gives the process id of the tool that the host waits for. */
export async function queueOne(world: World, terminal: Terminal, prompt: string): Promise<number> {
  const waits = () => mainTranscript(world).split('"operation":"enqueue"').length
  const before = waits()
  world.model.script([uses('Bash', { command: ENDLESS }), says('Both heard.')])
  await terminal.send('look into the cellar')
  const isTool = ({ command }: { command: string }) => command.startsWith(ENDLESS)
  const tool = await world.until('the tool', () => world.processes().find(isTool))
  await terminal.send(prompt)
  await world.until('the prompt in the queue', () => waits() > before)
  return tool.pid
}

export function mainTranscript(world: World): string {
  const path = world.transcripts().find((each) => !each.includes('subagents'))
  return path === undefined ? '' : world.read(path)
}

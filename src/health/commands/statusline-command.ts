/** `statusline`: the line as a command, for whoever wants to see it; the host is better served by its own small program. */
import type { CliWorld, CommonOptions } from '../../memory/commands/context.ts'
import { createOutput } from '../../memory/commands/output.ts'
import { lookFor, renderLine } from './statusline.ts'

export function runStatusline(world: CliWorld, options: CommonOptions): number {
  const given = world.isStdinTerminal ? '' : world.readStdin()
  const startDir = options.project ?? world.projectDir ?? world.cwd
  const seen = lookFor(given, { around: world.around, startDir, now: world.now() }, options.project)
  const out = createOutput(world.streams, options.json === true)
  out.json(seen)
  if (seen !== null) out.say(renderLine(seen))
  return 0
}

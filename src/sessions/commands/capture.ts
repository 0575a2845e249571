/** `capture`: whether sessions of this project are recorded. `capture off` is the pause of the whole project. */
import { type Command, type ExitCode, inProject } from '../../memory/commands/command.ts'
import { type Context, typed } from '../../memory/commands/context.ts'
import { KeeperError } from '../../platform/error.ts'
import { pause, pausedSince, resume } from '../disk/pause.ts'
import { pausedText, resumedText } from '../pause.ts'

function runCapture({ store, out, world, clock, isDryRun }: Context, given: string): ExitCode {
  const { places } = store
  const since = pausedSince(places, null)
  if (given === '') {
    out.json({ capture: since === null ? 'on' : 'off', since })
    out.say(
      since === null
        ? 'Capture is on in this project.'
        : `Capture is off in this project since ${clock.minute(since)}.`,
    )
    return 0
  }
  if (given !== 'on' && given !== 'off')
    throw new KeeperError('usage', 'capture takes on or off: memory-keeper capture off')
  const isNew = (given === 'off') === (since === null)
  if (!isDryRun && given === 'off') pause(places, null, world.now())
  if (!isDryRun && given === 'on') resume(places, null, world.now())
  out.json({ capture: given, changed: isNew })
  out.say(
    given === 'off'
      ? pausedText('this project', isNew, typed(world, 'capture on'))
      : resumedText(isNew, typed(world, 'import --paused')),
  )
  return 0
}

export const CAPTURE_COMMANDS: readonly Command[] = [
  {
    usage: 'capture [on-or-off]',
    about: 'on, or off: nothing is recorded, injected or sent to a model in this project',
    more: ['What happens meanwhile is not taken in later, unless you ask for it: memory-keeper import --paused'],
    writes: true,
    example: 'memory-keeper capture off',
    run: inProject((context, _, [given = '']) => runCapture(context, given)),
  },
]

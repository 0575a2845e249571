/** `--stdin`: the text of a command comes on standard input, where no shell changes it. cmd.exe puts values in the place of names between percent signs. */
import type { Command } from '../../kernel/memory/commands/command.ts'
import { KeeperError } from '../../kernel/platform/error.ts'

const FLAG = '--stdin'
export const STDIN_OPTION = [FLAG, 'take the text from stdin, where no shell changes it'] as const

/** Before the arguments are checked: a required one may be this text. */
export function withStdinText(
  argv: readonly string[],
  command: Pick<Command, 'stdin'> | undefined,
  readStdin: () => string,
): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const at = argv.indexOf(FLAG)
  if (command?.stdin === undefined || at < 0 || at > end) return [...argv]
  const text = withoutFrame(readStdin())
  if (text.trim() === '')
    throw new KeeperError(
      'usage',
      'Nothing came on standard input. Without --stdin the text stands in the line itself.',
    )
  const [before, after] = [argv.slice(0, at), argv.slice(at + 1)]
  if (command.stdin !== 'words') return [...before, `${command.stdin}=${text}`, ...after]
  return [...before, ...after, ...(end === argv.length ? ['--'] : []), text]
}

/** What a shell adds to it: a byte order mark before it, the end of the line behind it. */
function withoutFrame(piped: string): string {
  return piped.replace(/^\ufeff/, '').replace(/(?:\r?\n)+$/, '')
}

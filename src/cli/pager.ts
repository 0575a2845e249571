/** The pager: what is too long for the screen is shown page by page, as the user likes it. */
import { type Pager, width, withoutColours } from '../memory/commands/output.ts'

/** What of the environment counts. */
type Env = Readonly<Record<string, string | undefined>>

/** Who shows long output; null: the user wants none. PAGER is split into words here: no shell reads it. */
export function pagerFor(env: Env, platform: string): Pager | null {
  const wanted = env.MEMORY_KEEPER_PAGER ?? env.PAGER ?? (platform === 'win32' ? 'more.com' : 'less')
  const [program, ...args] = programWords(wanted)
  if (program === undefined || program === 'cat') return null
  // Ends by itself where all fits on one screen, shows colours, and leaves the text on the screen.
  const isUtf8 = /utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? '')
  const charset = isUtf8 || env.LESSCHARSET !== undefined ? {} : { LESSCHARSET: 'utf-8' }
  return { program, args, env: { ...(env.LESS === undefined ? { LESS: 'FRX' } : {}), ...charset } }
}

/** Words as a shell splits them: quotes hold spaces together. A backslash is one: Windows' paths have many. */
function programWords(command: string): string[] {
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ''))
}

/** Whether it does not fit on the screen, with a line for the prompt. */
export function isLong(text: string, columns: number, rows: number): boolean {
  let lines = 0
  for (const line of withoutColours(text).replace(/\n$/, '').split('\n')) {
    lines += Math.max(1, Math.ceil(width(line) / columns))
    if (lines >= rows) return true
  }
  return false
}

/** `skill`: what the skills do that people type. Their words come on standard input, so that no shell ever reads them. */
import { KeeperError } from '../core/error.ts'
import type { ExitCode } from './command.ts'
import { runCompress } from './compress.ts'
import type { Context } from './context.ts'
import { runFactsList } from './facts.ts'
import { runForgetWords } from './forget.ts'
import { runNoteNow } from './note-now.ts'
import { harmless, oneLine } from './output.ts'
import { runRemember } from './remember.ts'
import { runSearch } from './search.ts'
import { runStatus } from './status.ts'
import { runTopic } from './topic.ts'
import { TYPED_LINE_SKILL } from './typed-line.ts'

type Skill = (context: Context, words: string) => ExitCode

const SHOWN_FACTS = '20'

const RUN: Readonly<Record<string, Skill>> = {
  'search-memory': (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to look for: /memory-keeper:search-memory retry cache')
    return runSearch(context, [words], {})
  },
  'memory-status': (context) => runStatus(context),
  'memory-context': runTopic,
  'memory-facts': (context, words) =>
    words === ''
      ? runFactsList(context, { limit: SHOWN_FACTS })
      : runSearch(context, [words], { type: 'decision,pattern,issue' }),
  'memory-delta': (context) => runNoteNow(context),
  'memory-rotate': (context) => runCompress(context),
  forget: (context, words) => {
    const { code, isDone } = runForgetWords(context, words)
    if (!isDone) context.out.say(`Or type: /memory-keeper:forget ${oneLine(words.replace(/\s+yes$/, ''), 200)} yes`)
    return code
  },
  remember: (context, words) => {
    if (words === '') throw new KeeperError('usage', 'Say what to remember: /memory-keeper:remember We use pnpm.')
    return runRemember(context, words)
  },
}

/** By their names, as people type them behind `/memory-keeper:`. */
export const SKILLS: readonly string[] = [...Object.keys(RUN), TYPED_LINE_SKILL]

export function runSkill(context: Context, name: string): ExitCode {
  const skill = RUN[name]
  if (skill === undefined)
    throw new KeeperError('usage', `There is no skill ${harmless(name)}; there are ${SKILLS.join(', ')}.`)
  return skill(context, context.world.isStdinTerminal ? '' : context.world.readStdin().trim())
}

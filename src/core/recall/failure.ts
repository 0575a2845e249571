/**
 * A command failed for a reason that an earlier session met: what was run next there, and what Claude then said of it. That something helped is
 * never said: nobody knows it.
 */

import { bothEnds } from '../../kernel/text/ends.ts'
import { withoutFrames } from '../../kernel/text/frame.ts'
import { quotedWords } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import { callOf, commandsOf } from '../../kernel/transcript/shell.ts'
import { NEXT_ENTRIES, SHORT_OUTPUT } from '../notes/learned-use.ts'
import type { ToolUse } from '../notes/story-git.ts'
import { code, isLook } from '../notes/structure-commands.ts'
import { EDITS, onOneLine } from '../notes/structure-text.ts'
import { foldedLine, PLACE, tellingLines } from '../notes/telling-lines.ts'
import { closingAnswer, pickFrom, restOfTurn } from './closing.ts'
import { failedWith, rareStems } from './reference.ts'
import type { Recall, Recollection, Remembrance } from './remembrance.ts'

export interface FailedRun {
  command: string
  /** As the host gives it. */
  error: string
}

/** So much of each end of the output is read. */
const READ = { head: 4_000, tail: 8_000 }
const MOST_LINES = 6
/** A line that says less than this besides the words of its command, and that it is an error, comes with many failures. */
const LEAST_WORDS = 2
/** What every such line has. */
const MARKS = 'error errors fatal failed failure fail exit code status'
/** Of all sentences told, without the day, the session and the author of each line. */
const MOST_CHARS = 230
const SHOWN = { command: 50, line: 60, next: 60 }
const MOST_FILES = 2

export function findFailure({ command, error }: FailedRun, memory: Remembrance): Recall | null {
  const programs = programsOf(command)
  for (const line of reasonsIn(command, error)) {
    const met = failedWith(line, { ...memory, isWanted: undefined }).filter((doc) => {
      const use = useOf(doc, memory)
      return use?.name === 'Bash' && programsOf(use.cmd).some((program) => programs.includes(program))
    })
    // This session met it before: what came of that is in its context.
    if (met.length === 0 || met.some((doc) => memory.isWanted?.(doc) === false)) continue
    const picks = toldOf(newestFirst(met, memory), line, memory)
    if (picks.length === 0) continue
    const verdict = 'The command failed with a line that an earlier session met.'
    return { signal: 'failure', verdict, scores: {}, picks, once: `failure ${foldedLine(line)}` }
  }
  return null
}

/** Of every link of a chain, since it is not known which one failed: `cd` is none. */
function programsOf(command: string): string[] {
  return commandsOf(command)
    .map((link) => callOf(link).split(' ', 1)[0] ?? '')
    .filter((program) => program !== '' && program !== 'cd')
}

/**
 * The lines that say why it failed, best first. In the long output of a run of tests only places at the beginning of a line, as compilers name
 * them: what else looks like an error was printed by a test, and comes with every run.
 */
function reasonsIn(command: string, error: string): string[] {
  const read = withoutFrames(bothEnds(error, READ.head, READ.tail)).split('\n')
  const lines = read.filter((line, i) => line.trim() !== '' && !(i === 0 && line.startsWith('Exit code ')))
  const isTestLog = error.length > SHORT_OUTPUT && /test|spec|jest/i.test(command)
  const kept = lines.filter((line) => (isTestLog ? PLACE.exec(line)?.index === 0 : !/^\s/.test(line)))
  const common = new Set(stemsOf(`${command} ${MARKS}`))
  const says = (line: string): boolean =>
    new Set(stemsOf(line.replace(/\d+/g, ' ')).filter((stem) => !common.has(stem))).size >= LEAST_WORDS
  return tellingLines({ at: 0, cmd: command, output: kept.join('\n') }, [])
    .filter(says)
    .slice(0, MOST_LINES)
}

function useOf(doc: number, { entryOf }: Remembrance): ToolUse | null {
  const entry = entryOf(doc)
  return entry?.role === 'tool' ? entry : null
}

function newestFirst(docs: readonly number[], { columns }: Remembrance): number[] {
  return docs.toSorted((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

/** What came after one of these failures. */
interface Aftermath {
  doc: number
  failed: ToolUse
  /** The next command of the turn that changes something or runs another thing; null: none, or the same again. */
  next: ToolUse | null
  /** The user said something to its refusal. Without a word the user may as well have stopped it: the host writes the same. */
  isCommented: boolean
  /** The files that were edited before it. */
  edited: string[]
}

function aftermathOf(doc: number, memory: Remembrance): Aftermath[] {
  const failed = useOf(doc, memory)
  if (failed === null) return []
  const edited: string[] = []
  for (const later of restOfTurn(doc, memory).slice(1, 1 + NEXT_ENTRIES)) {
    const use = useOf(later, memory)
    if (use === null) continue
    if (EDITS.has(use.name) && use.ok === true) edited.push(use.cmd.slice(use.cmd.lastIndexOf('/') + 1))
    if (use.name !== 'Bash' || isLook(use.cmd)) continue
    const isSame = onOneLine(use.cmd) === onOneLine(failed.cmd)
    const comment = memory.behind(later)[0]
    const isCommented = comment?.role === 'user' && comment.via === use.name
    return [{ doc, failed, next: isSame ? null : use, isCommented, edited }]
  }
  return [{ doc, failed, next: null, isCommented: false, edited }]
}

/** Nothing, where nothing is known of what came after it. */
function toldOf(met: readonly number[], line: string, memory: Remembrance): Recollection[] {
  const all = met.flatMap((doc) => aftermathOf(doc, memory))
  const ran = all.filter(({ next }) => next !== null)
  const isRefused = ran.length > 0 && ran.every(({ next }) => next?.refused === true)
  const one = ran.find(({ next }) => isRefused || next?.refused !== true) ?? all.find(({ edited }) => edited.length > 0)
  const unit = one === undefined ? null : memory.unitOf(one.doc)
  if (one === undefined || unit === null) return []
  const files = [...new Set(one.edited)].slice(0, MOST_FILES).join(', ')
  const refused = `${ran.every(({ isCommented }) => isCommented) ? 'refused' : 'refused or stopped'}${ran.length > 1 ? ' each time' : ''}`
  const then =
    one.next === null
      ? `then edited: ${files}`
      : `${isRefused ? refused : 'run next'}: ${code(shorten(onOneLine(one.next.cmd), SHOWN.next))}`
  const sentence = `${code(shorten(onOneLine(one.failed.cmd), SHOWN.command))} failed with ${quotedWords(shorten(storedLine(one.failed, line), SHOWN.line))}; ${then}`
  const said = saidOf(one.doc, line, MOST_CHARS - sentence.length, memory)
  return [pickFrom({ ...unit, by: 'code' }, 1, [sentence], 0), ...said]
}

/** As it was kept, without secrets. */
function storedLine({ output = '' }: ToolUse, line: string): string {
  const folded = foldedLine(line)
  return onOneLine(output.split('\n').find((one) => foldedLine(one) === folded) ?? '')
}

/** The sentence of the closing answer that names what the line is about. */
function saidOf(doc: number, line: string, room: number, memory: Remembrance): Recollection[] {
  const closing = closingAnswer(doc, memory)
  const common = new Set(stemsOf(`${useOf(doc, memory)?.cmd} ${MARKS}`))
  const rare = new Set([...rareStems(line, memory)].filter((stem) => !common.has(stem)))
  const at = closing?.sentences.findIndex((one) => stemsOf(one).some((stem) => rare.has(stem))) ?? -1
  const sentence = closing?.sentences[at]
  if (closing === null || sentence === undefined || sentence.length > room) return []
  return [{ ...pickFrom(closing.unit, 1, closing.sentences, at), sentences: [sentence] }]
}

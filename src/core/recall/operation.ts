/** An ordered operation that failed by the words of a server or a policy, that the user forbade, or whose task the user refuses. */

import { quotedWords } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Entry, Numbered } from '../../kernel/transcript/session.ts'
import { callOf, commandsOf, tasksOf } from '../../kernel/transcript/shell.ts'
import { hasName } from '../grounding/grounding-text.ts'
import { learnedIn } from '../notes/learned.ts'
import type { Learned } from '../notes/learned-use.ts'
import { onOneLine } from '../notes/structure-text.ts'
import { KIND_NUMBER } from '../search/engine.ts'
import { FLAG, traitsOf } from '../search/traits.ts'
import { pickFrom, tellableIn } from './closing.ts'
import { isBanned, isOrdered, OPERATIONS, type Operation, ordersAny, ordersRun } from './order.ts'
import type { Prompt } from './prompt.ts'
import type { Recall, Remembrance } from './remembrance.ts'

type ToolUse = Extract<Entry, { role: 'tool' }>

const PROMPT = KIND_NUMBER.prompt
const TOOL = KIND_NUMBER.tool

/** The words of a server or a policy. */
const POLICY = /\b(?:protected|not allowed|rejected|denied|required)\b/i
/** A line that only a server writes. */
const SERVER = /^(?:remote:|! .remote)|\bGH\d/
/** Git's own refusal: the branch is behind. */
const BEHIND = '! [rejected]'

const MOST_READ = 40
/** A longer prompt forbids nothing in general. */
const LONGEST_BAN = 60
const MOST_CALL = 80

export function findOperation({ isOrder, text }: Prompt, memory: Remembrance): Recall | null {
  if (!isOrder) return null
  for (const operation of OPERATIONS) {
    if (!isOrdered(text, operation)) continue
    const found = failedBefore(operation, text, memory) ?? forbidden(operation, text, memory)
    if (found !== null) return { ...found, once: operation.name }
  }
  return ordersRun(text) ? refusedTask(text, memory) : null
}

/** Without a look into the memory. */
export function ordersOperation({ isOrder, text }: Prompt): boolean {
  return isOrder && ordersAny(text)
}

function recalled(verdict: string, picks: Recall['picks']): Recall {
  return { signal: 'operation', verdict, scores: {}, picks }
}

/** Newest first. */
function docsWith(
  stems: readonly number[],
  { columns, engine, isWanted }: Remembrance,
  is: (doc: number) => boolean,
): number[] {
  const { docs } = engine.look(stems, [1, 1, 1, 1], MOST_READ, (doc) => is(doc) && isWanted?.(doc) !== false)
  return docs.toSorted((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

function usesOf(docs: readonly number[], { entryOf }: Remembrance): { doc: number; entry: ToolUse }[] {
  return docs.flatMap((doc) => {
    const entry = entryOf(doc)
    return entry?.role === 'tool' && entry.name === 'Bash' ? [{ doc, entry }] : []
  })
}

function failedBefore(operation: Operation, prompt: string, memory: Remembrance): Recall | null {
  const { columns } = memory
  const stems = stemsOf(`${operation.name} protected allowed rejected denied required`)
  for (const { doc, entry } of usesOf(
    docsWith(stems, memory, (one) => columns.kind[one] === TOOL),
    memory,
  )) {
    if (entry.ok !== false || entry.refused === true) continue
    const call = callsIn(entry.cmd, operation.done).at(-1)
    const why = call === undefined ? undefined : refusalIn(entry)
    if (call === undefined || why === undefined || !isMeant(targetOfCall(call), prompt, memory)) continue
    if (hasPassed(operation, call, doc, memory)) continue
    const sentence = `${shorten(call, MOST_CALL)} failed: ${onOneLine(why)}`
    const unit = memory.unitOf(doc)
    if (unit === null) continue
    const verdict = 'It orders what failed before by the words of a server or a policy, and never passed since.'
    return recalled(verdict, [pickFrom(unit, 1, [sentence], 0)])
  }
  return null
}

/** Of several commands any may have written a line that is not a server's. */
function refusalIn({ cmd, output = '' }: ToolUse): string | undefined {
  const isAlone = commandsOf(cmd).length === 1 && !output.includes(BEHIND)
  return output.split('\n').find((line) => POLICY.test(line) && (isAlone || SERVER.test(line)))
}

/** After that document, the same call; a push, to the same branch. `call`: empty: any. */
function hasPassed({ name, done }: Operation, call: string, doc: number, memory: Remembrance): boolean {
  const { columns } = memory
  const since = columns.seconds[doc] ?? 0
  const isLater = (other: number): boolean => columns.kind[other] === TOOL && (columns.seconds[other] ?? 0) > since
  const isPush = name === 'push'
  const later = usesOf(docsWith(stemsOf(isPush || call === '' ? name : call), memory, isLater), memory)
  const target = targetOfCall(call)
  const isSame = (other: string): boolean =>
    isPush ? isSameBranch(targetOfCall(other), target, memory) : call === '' || other === call
  return later.some(({ entry }) => entry.ok === true && callsIn(entry.cmd, done).some(isSame))
}

/** The calls of an operation, without options and what follows them in other commands than git. */
function callsIn(line: string, done: RegExp): string[] {
  return commandsOf(line)
    .map((command) => {
      const words = callOf(command.split('\n', 1)[0] ?? '')
        .split(' ')
        .filter((word) => !/^\d?[<>&]/.test(word))
      const option = words.findIndex((word) => word.startsWith('-'))
      const isPush = words[0] === 'git' && words[1] === 'push'
      const plain = option < 0 ? words : words.slice(0, option)
      return (isPush ? words.filter((word) => !word.startsWith('-')) : plain).join(' ')
    })
    .filter((call) => done.test(call))
}

/** The branch to which a push goes: `main` of `git push origin HEAD:main`. Empty: it names none, or it is another call. */
function targetOfCall(call: string): string {
  const [, verb, , target = ''] = call.split(' ')
  const branch = verb === 'push' ? target.slice(target.indexOf(':') + 1) : ''
  return branch === 'HEAD' ? '' : branch
}

/** None is the branch at hand. */
function isSameBranch(one: string, other: string, { branch }: Remembrance): boolean {
  const now = branch() ?? ''
  const [a, b] = [one || now, other || now]
  return a === b || a === '' || b === ''
}

/** A branch is meant where the session works on it, or where the prompt names it. */
function isMeant(target: string, prompt: string, { branch }: Remembrance): boolean {
  const now = branch()
  return target === '' || now === null || now === target || hasName(prompt, target)
}

/** The whole prompt forbids it and names a branch: words about one moment name none. Nothing once it passed there since. */
function forbidden(operation: Operation, prompt: string, memory: Remembrance): Recall | null {
  const { columns, branches, entryOf } = memory
  const targets = [...branches(), 'main', 'master']
  const stems = stemsOf(`${operation.name} ${targets.slice(0, 8).join(' ')}`)
  for (const doc of docsWith(stems, memory, (one) => columns.kind[one] === PROMPT)) {
    const entry = entryOf(doc)
    const text = entry?.role === 'user' ? entry.text.trim() : ''
    if (text === '' || text.length > LONGEST_BAN || /[?？]/.test(text) || !isBanned(text, operation)) continue
    const target = targets.find((one) => hasName(text, one))
    if (target === undefined || !isMeant(target, prompt, memory)) continue
    const call = operation.name === 'push' ? `git push origin ${target}` : ''
    if (hasPassed(operation, call, doc, memory)) continue
    const sentences = tellableIn(doc, memory)
    const unit = memory.unitOf(doc)
    if (unit === null || sentences.length === 0) continue
    return recalled('It orders what the user forbade before.', [pickFrom(unit, 1, sentences, 0)])
  }
  return null
}

/** The same task, refused in two sessions with a reason, which never ran since. */
function refusedTask(prompt: string, memory: Remembrance): Recall | null {
  const { columns, engine } = memory
  const isTool = (doc: number): boolean => columns.kind[doc] === TOOL
  const refused = usesOf(docsWith(stemsOf(`refused ${prompt}`), memory, isTool), memory).filter(
    ({ entry }) => entry.refused === true,
  )
  const tasks = [...new Set(refused.flatMap(({ entry }) => tasksOf(entry.cmd)))].filter((task) => isRun(task, prompt))
  for (const task of tasks) {
    const { docs } = engine.look(stemsOf(task), [1, 1, 1, 1], MOST_READ, isTool)
    const line = learnedIn(sessionsOf([...refused.map(({ doc }) => doc), ...docs], memory)).find(
      (one) => one.refused === task,
    )
    const unit = line === undefined || !isReason(line) ? null : memory.unitOf(line.n)
    if (line === undefined || unit === null) continue
    const sentence = `${line.text}; the user, last: ${quotedWords(line.said)}`
    const pick = pickFrom({ ...unit, by: 'code' }, 1, [sentence], 0)
    return { ...recalled('It orders a task that the user refused in several sessions.', [pick]), once: task }
  }
  return null
}

/** A comment that is about who acts is no reason. */
function isReason({ said }: Learned): boolean {
  return said !== '' && !said.endsWith('…') && (traitsOf(said) & FLAG.firstPerson) === 0
}

/** A plain word of the prompt begins like a part of the task's name; a name of several parts must be the same. */
function isRun(task: string, prompt: string): boolean {
  const name = task.slice(task.lastIndexOf(' ') + 1)
  const parts = name.split(/[^a-z0-9]+/i).filter((part) => part.length > 3)
  return (prompt.match(/[\w:-]+/g) ?? []).some(
    (word) => word === name || parts.some((part) => /^[a-z]+$/i.test(word) && word.toLowerCase().startsWith(part)),
  )
}

/** The documents, named by their numbers, with the entry behind each, where a comment stands; oldest session first. */
function sessionsOf(docs: readonly number[], memory: Remembrance): { id8: string; entries: Numbered[] }[] {
  const { columns, entryOf, sessionOf } = memory
  const all = [...new Set(docs.flatMap((doc) => [doc, columns.next(doc)]).filter((doc) => doc >= 0))]
  const sessions = new Map<string, { at: number; entries: Numbered[] }>()
  for (const doc of all.toSorted((a, b) => a - b)) {
    const [entry, id8] = [entryOf(doc), sessionOf(doc)]
    if (entry === null || id8 === null) continue
    const session = sessions.get(id8) ?? { at: columns.seconds[doc] ?? 0, entries: [] }
    sessions.set(id8, session)
    session.entries.push({ n: doc, entry })
  }
  return [...sessions].toSorted(([, a], [, b]) => a.at - b.at).map(([id8, { entries }]) => ({ id8, entries }))
}

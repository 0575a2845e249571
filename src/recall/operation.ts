/** An ordered operation that failed by the words of a server or a policy, that the user forbade, or whose task the user refuses. */

import { hasName } from '../grounding/grounding-text.ts'
import { learnedIn } from '../notes/learned.ts'
import type { Learned } from '../notes/learned-use.ts'
import { onOneLine } from '../notes/structure-text.ts'
import { KINDS } from '../search/corpus.ts'
import { FLAG, traitsOf } from '../search/traits.ts'
import { quotedWords } from '../text/memory-words.ts'
import { shorten } from '../text/shorten.ts'
import { stemsOf } from '../text/words.ts'
import type { Entry, Numbered } from '../transcript/session.ts'
import { callOf, commandsOf, tasksOf } from '../transcript/shell.ts'
import { pickFrom, tellableIn } from './closing.ts'
import type { Prompt } from './prompt.ts'
import type { Recall, Remembrance } from './remembrance.ts'

type ToolUse = Extract<Entry, { role: 'tool' }>

const PROMPT = KINDS.indexOf('prompt')
const TOOL = KINDS.indexOf('tool')

interface Operation {
  /** The words of its commands. */
  name: string
  ordered: RegExp
  /** The beginning of a command without options. */
  done: RegExp
}

const OPERATIONS: readonly Operation[] = [
  { name: 'push', ordered: /\bpush\b|푸시|プッシュ|推送/i, done: /^git push\b/ },
  { name: 'merge', ordered: /\bmerge\b|머지|マージ|合并/i, done: /^(?:git|gh pr) merge\b/ },
  { name: 'pr create', ordered: /\b(?:PR|pull request)\b|プルリク/i, done: /^gh pr create\b/ },
  {
    name: 'release publish',
    ordered: /\b(?:release|publish)\b|릴리[즈스]|リリース|发布/i,
    done: /^\S+(?: run)? (?:release|publish)\b/,
  },
  { name: 'deploy', ordered: /\bdeploy\b|배포|デプロイ|部署/i, done: /^\S+(?: run)? deploy\b/ },
  { name: 'commit', ordered: /\bcommit\b|커밋|コミット|提交/i, done: /^git commit\b/ },
]
/** What stands before an operation that is ordered: the beginning of a clause, or a word that leads to it. */
const LEADS = /(?:^|[.,;:!\n]|\s[–—-]|\b(?:and|then|please|now|git)|\b(?:open|create|make|cut)\b[\w ]{0,9})\W*$/i
const VERB = /^\s?(?:해|하|부탁|し|す|お)|^\P{L}*$/u
const RUN = /\b(?:run|execute)\s|실행|돌려|実行|走らせ|运行/i
/** The words of a server or a policy. */
const POLICY = /\b(?:protected|not allowed|rejected|denied|required)\b/i
const FORBIDS = /\b(?:don['’]?t|do not|never|no)\b|말|ないで|するな|不要|别/i

const MOST_READ = 40
/** A longer prompt forbids nothing in general. */
const LONGEST_BAN = 60
const MOST_CALL = 80

export function findOperation({ isOrder, text }: Prompt, memory: Remembrance): Recall | null {
  if (!isOrder) return null
  for (const operation of OPERATIONS) {
    if (!isOrdered(text, operation.ordered)) continue
    const found = failedBefore(operation, text, memory) ?? forbidden(operation, text, memory)
    if (found !== null) return { ...found, once: operation.name }
  }
  return ordersRun(text) ? refusedTask(text, memory) : null
}

/** Without a look into the memory. */
export function ordersOperation({ isOrder, text }: Prompt): boolean {
  return isOrder && (ordersRun(text) || OPERATIONS.some(({ ordered }) => isOrdered(text, ordered)))
}

/** The verb itself stands there in other scripts. */
function ordersRun(text: string): boolean {
  const found = RUN.exec(text)
  return found !== null && (!/^\w/.test(found[0]) || LEADS.test(text.slice(0, found.index)))
}

/** In Korean and Japanese the verb follows; Chinese needs neither. */
function isOrdered(text: string, form: RegExp): boolean {
  const found = form.exec(text)
  if (found === null) return false
  const [before, behind] = [text.slice(0, found.index), text.slice(found.index + found[0].length)]
  if (/^\w/.test(found[0])) return LEADS.test(before)
  return /^\p{Script=Han}/u.test(found[0]) || (!/\p{L}$/u.test(before) && VERB.test(behind))
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

function failedBefore({ name, done }: Operation, prompt: string, memory: Remembrance): Recall | null {
  const { columns } = memory
  const isTool = (doc: number): boolean => columns.kind[doc] === TOOL
  const stems = stemsOf(`${name} protected allowed rejected denied required`)
  for (const { doc, entry } of usesOf(docsWith(stems, memory, isTool), memory)) {
    if (entry.ok !== false || entry.refused === true) continue
    const call = callsIn(entry.cmd, done).at(-1)
    const why = (entry.output ?? '').split('\n').find((line) => POLICY.test(line))
    if (call === undefined || why === undefined || !isMeant(targetOfCall(call), prompt, memory)) continue
    const since = columns.seconds[doc] ?? 0
    const isLater = (other: number): boolean => isTool(other) && (columns.seconds[other] ?? 0) > since
    const later = usesOf(docsWith(stemsOf(call), memory, isLater), memory)
    if (later.some((use) => use.entry.ok === true && callsIn(use.entry.cmd, done).includes(call))) continue
    const sentence = `${shorten(call, MOST_CALL)} failed: ${onOneLine(why)}`
    const unit = memory.unitOf(doc)
    if (unit === null) continue
    const verdict = 'It orders what failed before by the words of a server or a policy, and never passed since.'
    return recalled(verdict, [pickFrom(unit, 1, [sentence], 0)])
  }
  return null
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
  return verb === 'push' ? target.slice(target.indexOf(':') + 1) : ''
}

/** A branch is meant where the session works on it, or where the prompt names it. */
function isMeant(target: string, prompt: string, { branch }: Remembrance): boolean {
  const now = branch()
  return target === '' || now === null || now === target || hasName(prompt, target)
}

/** The whole prompt forbids it and names a branch: words about one moment name none. */
function forbidden({ name, ordered }: Operation, prompt: string, memory: Remembrance): Recall | null {
  const { columns, branches, entryOf } = memory
  const targets = [...branches(), 'main', 'master']
  const stems = stemsOf(`${name} ${targets.slice(0, 8).join(' ')}`)
  for (const doc of docsWith(stems, memory, (one) => columns.kind[one] === PROMPT)) {
    const entry = entryOf(doc)
    const text = entry?.role === 'user' ? entry.text.trim() : ''
    if (text === '' || text.length > LONGEST_BAN || /[?？]/.test(text) || !FORBIDS.test(text) || !ordered.test(text))
      continue
    const target = targets.find((one) => hasName(text, one))
    if (target === undefined || !isMeant(target, prompt, memory)) continue
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

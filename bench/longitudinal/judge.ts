/**
 * Which lines of a briefing the transcripts contradict. Each kind compares told words with what happened (sentences, headings,
 * files, hashes, commands), so that new wording does not escape it, and counts how often its situation came up: 0 of 0 is no result.
 */
import { type Entry, holds, NO, plain, type Session, sentencesOf, turnsOf } from './sessions.ts'

interface Line {
  text: string
  plain: string
  /** The session it is told of, and whether only of a part of it. */
  session: string
  isPart: boolean
}

/** What is true when a session starts; `at`: later is more, over all sessions. */
export interface Truth {
  before: readonly Session[]
  current: Session
  plans: string[]
  /** Refusals at a file's start, whose call is in no file. */
  orphans: string[]
  /** Last sentences of texts that a tool use follows in their turn; `isLast`: of the turn's last text. */
  announced: { words: string; isLast: boolean }[]
  /** Sentences that announce nothing; all sentences. */
  said: string[]
  sentences: string[]
  host: string[]
  comments: string[]
  edits: { session: Session; at: number; file: string }[]
  /** `staged`: the commands that staged and made it; `isForeign`: in a repository that the same command began. */
  commits: { session: Session; at: number; hash: string; title: string; staged: string; isForeign: boolean }[]
  ran: { command: string; output: string; isError: boolean }[]
  interrupted: Entry[][]
}

export type Contradiction = Record<'kind' | 'where' | 'line' | 'why', string>

type Judge = (line: Line, truth: Truth) => string | null | undefined

const REFUSED = /refus\w*|reject\w*|declin\w*|turned down|not approved|disapprov\w*/gi
const NOT_COMMITTED = /(?:not|never|nothing)(?: \w+)? committed|no commits?\b|uncommitted|without (?:a )?commit/i
const FAILED = /(?:fail\w*[^`]{0,20}`([^`]+)`|`([^`]+)`[^`]{0,20}\bfail)/i
const PASSED = /(?:passed|passes|succeeded|succeeds|worked|works|green)(?:[^`.;]{0,12}`([^`]+)`)?/i
const RUNNERS = /^(?:mise|npm|pnpm|yarn|make|just|task|cargo|go)$/
const COMMITS = /\bgit (?:-C \S+ )?(?:commit|(?:rebase|merge|cherry-pick) --continue)\b/
const TODO = /^Task(?:Create|Update|List|Get)$|^TodoWrite$/
export const INTERRUPTED = 'the last session ended interrupted, not told'
export const TWICE = 'a sentence told twice in one briefing'
const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)
export const isCutOff = ({ before }: Truth): boolean => before.at(-1)?.entries.slice(-1).some(isMark) === true

/** A tool use stands behind its last text. */
export const isLeftOpen = ({ entries }: Session): boolean =>
  entries.findLast((one) => one.kind === 'text' || (one.kind === 'call' && !TODO.test(one.name)))?.kind === 'call'

/** Name, situations that came up, what contradicts a line. */
export const KINDS: readonly (readonly [string, (truth: Truth) => readonly unknown[], Judge])[] = [
  ['a plan told as refused, but carried out', ({ plans, orphans }) => [...plans, ...orphans], refusedPlan],
  ['told as not committed, but committed', (of) => of.before.filter(({ id }) => committedOf(id, of)[0]), notCommitted],
  ['a headless run told by a line of its own', ({ before }) => before.filter((one) => one.isHeadless), headlessRun],
  [
    'an announcement told, the last text of its turn',
    ({ announced }) => announced.filter((one) => one.isLast),
    (line, of) => announcement(line, of, true),
  ],
  [
    'an announcement told, from inside its turn',
    ({ announced }) => announced.filter((one) => !one.isLast),
    (line, of) => announcement(line, of, false),
  ],
  ["the host's sentence told", ({ host }) => host, hostSentence],
  [
    'a failure paired with another command',
    ({ ran }) => ran.filter((one) => one.isError && tasksIn(one.command)[0]),
    falsePair,
  ],
  ['a commit of another repository told', ({ commits }) => commits.filter((one) => one.isForeign), foreignCommit],
  ['a hash told that no commit printed', ({ commits }) => commits.filter((one) => !one.isForeign), unknownHash],
  ['cut inside a sentence, without a mark', ({ sentences }) => sentences, (line, of) => cutIn(line, of, false)],
  ['cut inside a sentence, with an ellipsis', ({ sentences }) => sentences, (line, of) => cutIn(line, of, true)],
]

export function truthOf(before: readonly Session[], current: Session): Truth {
  const empty = { orphans: [], announced: [], said: [], sentences: [], host: [], comments: [], edits: [], commits: [] }
  const plans = [...before, current].flatMap(({ plan }) => plan ?? [])
  const truth: Truth = { before, current, plans, ...empty, ran: [], interrupted: [] }
  for (const [i, session] of before.entries()) {
    addDone(truth, session, i * 1e6)
    for (const turn of turnsOf(session)) addSaid(truth, turn)
  }
  return truth
}

function addDone(truth: Truth, session: Session, start: number): void {
  let staged = ''
  for (const [i, one] of session.entries.entries()) {
    const at = start + i
    if (one.kind === 'lost' && one.text.includes(NO)) truth.orphans.push(one.text)
    if (one.kind === 'host')
      truth.host.push(
        ...sentencesOf(one.text)
          .map(plain)
          .filter((words) => words.length > 24),
      )
    if (one.kind !== 'call') continue
    const { name, input, result } = one
    if (/^(?:Edit|Write|MultiEdit)$/.test(name)) truth.edits.push({ session, at, file: input.file_path ?? '' })
    if (result?.text.includes(NO))
      truth.comments.push(...sentencesOf(result.text.split('the user said:')[1] ?? '').map(plain))
    const command = name === 'Bash' ? (input.command ?? '') : ''
    if (COMMITS.test(command) || /\bgit (?:-C \S+ )?add\b/.test(command)) staged += `${command}\n`
    if (command === '' || result === null || result.text.includes(NO)) continue
    truth.ran.push({ command, output: result.text, isError: result.isError })
    if (!COMMITS.test(command) || result.isError) continue
    const [, hash = '', title = ''] = /^\[\S+(?: \S+)* ([0-9a-f]{7,})\] (.*)/m.exec(result.text) ?? []
    truth.commits.push({ session, at, hash, title, staged, isForeign: /\bgit init\b/.test(command) })
    staged = ''
  }
}

function addSaid(truth: Truth, turn: Entry[]): void {
  if (turn.some(isMark)) truth.interrupted.push(turn)
  const lastCall = turn.findLastIndex((one) => one.kind === 'call' && !TODO.test(one.name))
  const lastText = turn.findLastIndex(({ kind }) => kind === 'text')
  for (const [i, one] of turn.entries()) {
    // A to-do is nobody's announcement, and ends where it ends.
    const text = one.kind === 'call' ? (one.input.subject ?? '') : /text|prompt/.test(one.kind) ? one.text : ''
    const words = sentencesOf(text).map(plain)
    truth.sentences.push(...words)
    const last = one.kind === 'text' && i < lastCall ? words.pop() : undefined
    if (last !== undefined && last.length >= 20) truth.announced.push({ words: last, isLast: i === lastText })
    truth.said.push(...words)
  }
}

function isMark(one: Entry): boolean {
  return one.kind === 'host' && one.text.startsWith('[Request interrupted')
}

export function judge(briefing: string, truth: Truth): { lines: number; sentences: string[]; found: Contradiction[] } {
  const lines = linesOf(briefing)
  const where = `${truth.current.project} ${truth.current.id}`
  const found = lines.flatMap((line) =>
    KINDS.flatMap(([kind, , contradicted]) => {
      const why = contradicted(line, truth)
      return why ? [{ kind, where, line: line.text, why }] : []
    }),
  )
  const last = lines.filter(({ session }) => session === truth.before.at(-1)?.id).map(({ text }) => text)
  if (isCutOff(truth) && !last.some((text) => /interrupt|stopped|aborted|plan shown/i.test(text)))
    found.push({ kind: INTERRUPTED, where, line: last.join(' / '), why: 'not told' })
  const seen = new Set<string>()
  for (const sentence of lines.flatMap(({ text }) => sentencesOf(text.replace(/^.*?\] |^[\s-]*[\w ()]{1,40}: /, '')))) {
    const words = plain(sentence)
    if (seen.has(words)) found.push({ kind: TWICE, where, line: sentence, why: 'told twice' })
    if (words.length >= 40) seen.add(words)
  }
  return { lines: lines.length, sentences: [...seen], found }
}

function linesOf(briefing: string): Line[] {
  const body = briefing.slice(Math.max(0, briefing.search(/<memory-keeper[\w-]*>/)))
  let session = ''
  let isPart = false
  return body.split('\n').flatMap((text) => {
    const id = /\[(n-)?([0-9a-f]{8})/.exec(text)
    if (id || text.startsWith('- ')) [session, isPart] = [id?.[2] ?? '', id?.[1] !== undefined]
    return /^\s*(?:- |[A-Z])/.test(text) ? [{ text, plain: plain(text), session, isPart }] : []
  })
}

function refusedPlan(line: Line, { plans, comments }: Truth): string | null {
  if (comments.some((one) => holds(line.plain, one, 30))) return null
  for (const { index, 0: word } of line.text.matchAll(REFUSED)) {
    const near = plain(line.text.slice(Math.max(0, index - 160), index + 200))
    if (/implement the following plan/.test(near)) return `${word}: the refusal at the start of a plan`
    const plan = plans.find((one) => holds(near, headingOf(one), 50))
    if (plan !== undefined) return `${word}: ${plan}`
  }
  return null
}

/** Without its 'Plan:', unless little is left. */
function headingOf(plan: string): string {
  const bare = plain(plan.replace(/^[\w ]*plan: /i, ''))
  return bare.length >= 25 ? bare : plain(plan)
}

/** A line that names no file of its session speaks of all. */
function notCommitted({ text, session, isPart }: Line, truth: Truth): string | undefined {
  if (!NOT_COMMITTED.test(text)) return undefined
  const isNamed = (file: string): boolean => text.includes(nameOf(file))
  const isAll = !truth.edits.some((one) => one.session.id === session && isNamed(one.file))
  return committedOf(session, truth, isPart).find((file) => isAll || isNamed(file))
}

/** Files of a session that a later commit holds: their last edit (of a part: any edit) came before it, in the same tree. */
function committedOf(id: string, { edits, commits }: Truth, isPart = false): string[] {
  const own = edits.filter(({ session }) => session.id === id)
  const counted = own.filter(({ file, at }) => isPart || !own.some((other) => other.file === file && other.at > at))
  return counted.flatMap(({ file, at, session }) => {
    const later = commits.filter((one) => one.at > at && one.session.cwd === session.cwd && !one.isForeign)
    const adds = later.map(({ staged }) => staged).join('\n')
    return adds.includes(nameOf(file)) || /add (?:-A|-u|--all|\.)|commit -a/.test(adds) ? [file] : []
  })
}

function headlessRun({ text }: Line, { before }: Truth): string | undefined {
  return before.find((one) => one.isHeadless && text.includes(`[${one.id}`))?.id
}

function hostSentence(line: Line, { host, sentences }: Truth): string | undefined {
  return host.find((one) => holds(line.plain, one, 50) && !sentences.some((other) => holds(other, one)))
}

function announcement(line: Line, { announced, said }: Truth, isLast: boolean): string | undefined {
  const told = announced.filter((one) => one.isLast === isLast && holds(line.plain, one.words, 60))
  const others = told.length === 0 ? [] : said.filter((one) => one.length >= 20 && holds(line.plain, one))
  return told.find(({ words }) => !others.some((one) => holds(one, words, 60)))?.words
}

function falsePair({ text }: Line, { ran }: Truth): string | null {
  const failed = FAILED.exec(text)
  const passed = failed && PASSED.exec(text.slice(failed.index + failed[0].length))
  const command = failed?.[1] ?? failed?.[2]
  if (!command || !passed) return null
  const at = ran.findIndex((one) => one.isError && holds(plain(one.command), plain(command), 60))
  // The link of a chain that the runner says failed; else all of them.
  const task = /\[(\S+)\] ERROR task failed/.exec(ran[at]?.output ?? '')?.[1]
  const links = tasksIn(ran[at]?.command ?? command)
  const named = links.filter((one) => one.endsWith(` ${task}`))
  const needed = named.length > 0 ? named : links
  const covers = (other: string): boolean => needed.every((one) => tasksIn(other).includes(one))
  if (passed[1]) return covers(passed[1]) ? null : `${needed}; ${passed[1]}`
  return at < 0 || ran.slice(at).some((one) => !one.isError && covers(one.command)) ? null : `${needed} never passed`
}

/** `mise run lint` and the like, of each link of a chain. */
function tasksIn(command: string): string[] {
  const links = command.split(/&&|\|\||[;|\n]/).map((link) => link.trim().split(/\s+/))
  return links.flatMap(([program = '', ...rest]) =>
    RUNNERS.test(program) ? [[program, ...rest.slice(0, rest[0] === 'run' ? 2 : 1)].join(' ')] : [],
  )
}

function foreignCommit({ text, plain: words }: Line, { commits }: Truth): string | undefined {
  const isTold = (title: string): boolean => new RegExp(`committed (?:[0-9a-f]{7,} )?${plain(title)}\\b`).test(words)
  return commits.find((one) => one.isForeign && (text.includes(one.hash) || isTold(one.title)))?.title
}

function unknownHash({ text }: Line, { commits }: Truth): string | undefined {
  const told = [...text.matchAll(/\bcommit(?:ted)?:?(?: as| is)? [`"(]?(?=[a-f]*\d)([0-9a-f]{7})[0-9a-f]*\b/gi)]
  return told.find(([, hash = '']) => !commits.some((one) => one.hash.startsWith(hash)))?.[1]
}

/** The last six words of a piece (behind an ellipsis also the first), if their sentence goes on (begins before) wherever it stands. */
function cutIn({ text }: Line, { sentences }: Truth, isMarked: boolean): string | null {
  const pieces = text.split(/(?<=…["”'`)\]]*) | → | · |; (?="?\p{Lu})|["”] (?=[([])/u)
  const isInside = (part: string, isEdge: (one: string) => boolean): boolean => {
    const sources = /^\S+(?: \S+){2}/.test(part) && part.length >= 12 ? sentences.filter((one) => holds(one, part)) : []
    return sources.length > 0 && !sources.some(isEdge)
  }
  for (const [i, piece] of pieces.entries()) {
    const own = sentencesOf(piece.replace(/\s*…["”'`)\]]*$/, ''))
    const head = plain(own[0] ?? '')
      .split(' ')
      .slice(0, 6)
      .join(' ')
    const tail = plain(own.at(-1) ?? '')
      .split(' ')
      .slice(-6)
      .join(' ')
    // Commands, files and counts are no sentences; an arrow may stand in one.
    const isEnd = /(?:[.!?:;]["”'`)\]*]*|`[^`]*[ /][^`]*`|\/\S+|\(\d+×\)\}?)$/.test(own.at(-1) ?? '')
    const [next] = plain(pieces.slice(i + 1).join(' ')).split(' ')
    const isCut = isInside(tail, (one) => one.endsWith(tail) || holds(one, `${tail} ${next}`))
    if (!isEnd && /…["”'`)\]]*$/.test(piece) === isMarked && isCut) return `ends: ${tail}`
    const isBehind = isMarked && /…["”'`)\]]*$/.test(pieces[i - 1] ?? '')
    if (isBehind && isInside(head, (one) => one.startsWith(head))) return `begins: ${head}`
  }
  return null
}

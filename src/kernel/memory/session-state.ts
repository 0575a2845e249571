/** The state of one session: how far its transcript is captured, and how far notes cover it. */
import { countOr, fieldsLike, isObject, textOr } from '../platform/json.ts'
import { id8OfFile } from '../platform/layout.ts'
import { EMPTY_REFINE_STATE, type RefineState, type StartedTool } from '../transcript/refine-state.ts'

/** How far one transcript file has been read. */
export interface Cursor {
  /** The last known path of the transcript. */
  transcript: string
  /** Bytes read. */
  offset: number
  /** Fingerprint of the bytes just before the offset: detects another file in the same place. */
  anchor: string
  /** The state that later lines may refer to. */
  refine: RefineState
  /** While a file is read again: entries before this byte are already known and are not stored twice. */
  knownUpTo?: number
}

/** Where the session stands: one line about its end. */
export interface Stands {
  text: string
  /** It covers the entries before this one. */
  to: number
  by: 'headless' | 'agent' | 'extractive'
}

export interface SessionState extends Cursor {
  /** The session file in `sessions/`; empty while there is no entry. */
  file: string
  /** Settled entries and their bytes in the session file; only open entries follow them. */
  entries: number
  bytes: number
  /** How many entries notes in memory.md cover. */
  watermark: number
  /** Up to this entry, missing notes are accepted: the user removed them, or agreed that they are gone. */
  waived?: number
  /** Hooks saw the session; otherwise it was imported. */
  isLive?: true
  /** Its end was announced, and no event has come since. */
  isEnded?: true
  /** The host process that last ran it. */
  pid: number
  /** How many entries its summary covers. */
  summed: number
  /** Absent: there was no answer, or a version before 0.6 captured the session. */
  stands?: Stands
  /** The goal: the first prompt. */
  goal?: string
  /** Tool uses of the main thread. */
  tools: number
  badLines: number
  redactions: number
  /** Fingerprint of the transcript's first entry: a fork begins with the same one. */
  head: string
  /** The session that this one continues. */
  forkOf?: { session: string }
  /** Found complete after its end: a session start need not check its transcript. */
  isDone?: true
  /** Transcripts of subagents, by agent id. */
  agents: Record<string, Cursor>
}

export function newSession(transcript: string): SessionState {
  return {
    transcript,
    offset: 0,
    anchor: '',
    refine: EMPTY_REFINE_STATE,
    file: '',
    entries: 0,
    bytes: 0,
    watermark: 0,
    pid: 0,
    summed: 0,
    tools: 0,
    badLines: 0,
    redactions: 0,
    head: '',
    agents: {},
  }
}

const NEW = newSession('')
const NEW_CURSOR = newCursor('')

export function newCursor(transcript: string): Cursor {
  return { transcript, offset: 0, anchor: '', refine: EMPTY_REFINE_STATE }
}

export function parseSessionState(raw: Record<string, unknown>): SessionState {
  const { forkOf, goal, waived } = raw
  // A name outside our pattern is not a session file of ours: the session starts from the beginning.
  const file = textOr(raw.file, '')
  if (file !== '' && id8OfFile(file) === null) return newSession(textOr(raw.transcript, ''))
  return {
    ...fieldsLike(raw, NEW),
    ...parseCursor(raw),
    ...(countOr(waived) > 0 ? { waived: countOr(waived) } : {}),
    ...(raw.isLive === true ? { isLive: true as const } : {}),
    ...(raw.isEnded === true ? { isEnded: true as const } : {}),
    ...parseStands(raw.stands),
    ...(typeof goal === 'string' && goal !== '' ? { goal } : {}),
    ...(isObject(forkOf) && typeof forkOf.session === 'string' ? { forkOf: { session: forkOf.session } } : {}),
    ...(raw.isDone === true ? { isDone: true as const } : {}),
    agents: mapRecord(raw.agents, parseCursor),
  }
}

/** Sets this line, unless the session has a newer one, or one by a model for the same entry. */
export function withStands(session: SessionState, stands: Stands): SessionState {
  const { stands: known } = session
  const isOlder = known !== undefined && known.to > stands.to
  const isWorse = known?.to === stands.to && known.by !== 'extractive' && stands.by === 'extractive'
  return stands.text === '' || isOlder || isWorse ? session : { ...session, stands }
}

function parseStands(raw: unknown): { stands?: Stands } {
  if (!isObject(raw) || typeof raw.text !== 'string' || raw.text === '') return {}
  const by = raw.by === 'headless' || raw.by === 'agent' ? raw.by : 'extractive'
  return { stands: { text: raw.text, to: countOr(raw.to), by } }
}

function parseCursor(raw: Record<string, unknown>): Cursor {
  const refine = isObject(raw.refine) ? (raw.refine as Partial<RefineState>) : {}
  return {
    ...fieldsLike(raw, NEW_CURSOR),
    refine: {
      ...fieldsLike(refine, EMPTY_REFINE_STATE),
      tools: Object.fromEntries(
        Object.entries(refine.tools ?? {}).filter(([, tool]) => hasTexts(tool, ['name', 'cmd', 'ts'])),
      ),
      queue: Array.isArray(refine.queue)
        ? refine.queue.filter((item) => hasTexts(item, ['text', 'ts', 'at', 'since']))
        : [],
      answer: hasTexts(refine.answer, ['text', 'ts']) ? (refine.answer ?? null) : null,
    },
    ...(typeof raw.knownUpTo === 'number' ? { knownUpTo: countOr(raw.knownUpTo) } : {}),
  }
}

export function mapRecord<T>(raw: unknown, parse: (value: Record<string, unknown>) => T): Record<string, T> {
  if (!isObject(raw)) return {}
  const parsed: Record<string, T> = {}
  for (const [key, value] of Object.entries(raw)) if (isObject(value)) parsed[key] = parse(value)
  return parsed
}

function hasTexts(value: unknown, fields: readonly string[]): boolean {
  return isObject(value) && fields.every((field) => typeof value[field] === 'string')
}

/** Changes the texts in a session's state: its goal, where it stands, and items without a transcript line (started tools, queued prompts, an announced answer). */
export interface WaitingChange {
  /** Null: the item is dropped. `said`: the future text of the entry; for a tool including its name. */
  text: (text: string, said: string) => string | null
  /** Changes the launch directory; the next line names it again. */
  base?: (base: string) => string
}

export function changeWaiting(session: SessionState, change: WaitingChange): SessionState {
  const agents = Object.entries(session.agents).map(([agent, cursor]) => [agent, changeCursor(cursor, change)])
  const changed = { ...changeCursor(session, change), agents: Object.fromEntries(agents) }
  return withEnd(withGoal(changed, change), change)
}

function withGoal(session: SessionState, change: WaitingChange): SessionState {
  const { goal, ...rest } = session
  const text = goal === undefined ? null : change.text(goal, goal)
  return goal === undefined ? session : text === null ? rest : { ...session, goal: text }
}

function withEnd(session: SessionState, change: WaitingChange): SessionState {
  const { stands, ...rest } = session
  const text = stands === undefined ? null : change.text(stands.text, stands.text)
  return stands === undefined ? session : text === null ? rest : { ...session, stands: { ...stands, text } }
}

function changeCursor<T extends Cursor>(cursor: T, change: WaitingChange): T {
  const { tools, queue, answer, base, tree } = cursor.refine
  const changed = <One extends object>(one: One, text: string | null, name: 'cmd' | 'text'): One[] =>
    text === null ? [] : [{ ...one, [name]: text }]
  const withOutput = (tool: StartedTool): StartedTool =>
    tool.done === undefined
      ? tool
      : { ...tool, done: { ...tool.done, output: change.text(tool.done.output, `${tool.name} ${tool.cmd}`) ?? '' } }
  const started = Object.entries(tools).flatMap(([id, tool]) =>
    changed(tool, change.text(tool.cmd, `${tool.name} ${tool.cmd}`), 'cmd').map(
      (one) => [id, withOutput(one)] as const,
    ),
  )
  const refine = {
    ...cursor.refine,
    base: change.base?.(base) ?? base,
    tree: change.base?.(tree) ?? tree,
    tools: Object.fromEntries(started),
    queue: queue.flatMap((prompt) => changed(prompt, change.text(prompt.text, prompt.text), 'text')),
    answer: answer === null ? null : (changed(answer, change.text(answer.text, answer.text), 'text')[0] ?? null),
  }
  return { ...cursor, refine }
}

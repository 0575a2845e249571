/** The work in a state that 0.6 or an earlier version wrote: until 0.8 it is read into the list. 0.6 keeps our list and does not know it. */
import { countOr, fieldsLike, isObject, objects, texts } from '../platform/json.ts'
import { id8OfFile } from '../platform/layout.ts'
import { newItem, parseDeltaId, parseWork, type WorkItem, type WorkKind } from './work-item.ts'

type Raw = Readonly<Record<string, unknown>>

/** The state as we write it. */
export function from06({ knowledge, notesOwed, unread, unreadFailed, ...raw }: Raw): Raw {
  const before = parseWork(raw.work)
  const failed = texts(unreadFailed)
  const found = [...workInSessions(raw.sessions, before), ...rulesIn(knowledge)]
  for (const name of texts(notesOwed)) found.push(...rangeItem('again', name))
  for (const name of texts(unread))
    found.push(...rangeItem('read', name).map((item) => ({ ...item, tries: failed.includes(name) ? 1 : 0 })))
  for (const { file, summaryGenerated, ...counts } of objects(raw.rotatedFiles))
    if (typeof file === 'string' && summaryGenerated !== true)
      found.push(newItem({ kind: 'summary', about: file, ...fieldsLike(counts, { tries: 0, asked: 0 }) }))
  // What 0.6 does not know about waits as before.
  const isKnown = (item: WorkItem): boolean =>
    found.some((one) => one.kind === item.kind && one.about === item.about && one.to === item.to)
  const kept = before.filter((item) => ['facts', 'again', 'read'].includes(item.kind) && item.by !== 'code')
  return {
    ...raw,
    sessions: withoutOld(raw.sessions),
    work: [...found, ...kept.filter((item) => !isKnown(item))],
  }
}

function rulesIn(knowledge: unknown): WorkItem[] {
  const { candidates, asked } = isObject(knowledge) ? knowledge : {}
  if (typeof candidates !== 'string' || candidates === '') return []
  const cut = isObject(asked) ? countOr(asked[`reflection ${candidates}`]) : 0
  return [newItem({ kind: 'rules', about: candidates, asked: cut })]
}

function rangeItem(kind: WorkKind, name: string): WorkItem[] {
  const range = parseDeltaId(name)
  if (range === null) return []
  return [newItem({ kind, about: range.session, from: range.from, to: range.to, by: 'headless' })]
}

function workInSessions(sessions: unknown, before: readonly WorkItem[]): WorkItem[] {
  return Object.values(isObject(sessions) ? sessions : {}).flatMap((raw) => {
    const session = isObject(raw) ? raw : {}
    const about = id8OfFile(typeof session.file === 'string' ? session.file : '')
    if (about === null) return []
    const own = before.filter((item) => item.kind === 'note' && item.about === about)
    return [...noteIn(session, about, own), ...factsIn(session, about)]
  })
}

function noteIn(session: Raw, about: string, before: readonly WorkItem[]): WorkItem[] {
  const from = countOr(session.watermark)
  const end = Math.max(countOr(session.due), ...before.map(({ to }) => to))
  const { by, ...counts } = isObject(session.handout) ? session.handout : {}
  const { to, refusals: tries, asked } = fieldsLike(counts, { to: 0, refusals: 0, asked: 0 })
  const middle = Math.max(from, Math.min(to, end))
  const rest = newItem({ kind: 'note', about, from: middle, to: end })
  return [
    ...(middle > from ? [{ ...rest, from, to: middle, by: authorOf(by), tries, asked }] : []),
    ...(end > middle ? [rest] : []),
  ]
}

/** Those that were requested, and those of imported history. */
function factsIn(session: Raw, about: string): WorkItem[] {
  const from = countOr(session.mined)
  if (!isObject(session.mining)) {
    const to = countOr(session.watermark)
    return session.isLive === true || to <= from ? [] : [newItem({ kind: 'facts', about, from, to, by: 'code' })]
  }
  const { to, asked } = fieldsLike(session.mining, { to: 0, asked: 0 })
  return to <= from ? [] : [newItem({ kind: 'facts', about, from, to, by: authorOf(session.mining.by), asked })]
}

function authorOf(by: unknown): WorkItem['by'] {
  return by === 'agent' ? 'agent' : 'headless'
}

/** 0.6 reads what a stored session names, and would wait for a piece that is done. */
function withoutOld(sessions: unknown): unknown {
  if (!isObject(sessions)) return sessions
  return Object.fromEntries(
    Object.entries(sessions).map(([id, session]) => {
      if (!isObject(session) || !('due' in session || 'handout' in session || 'mining' in session)) return [id, session]
      const { due: _, handout: __, mining: ___, ...rest } = session
      return [id, rest]
    }),
  )
}

/** What was forgotten here does not come back with a bundle. */
import path from 'node:path'
import type { BundleFile } from '../../copies/bundle.ts'
import { bundleKindOf } from '../../copies/bundle-kind.ts'
import { formatFacts, parseFacts } from '../../knowledge/fact.ts'
import { PERMANENT_KINDS } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { type Note, parseMemory } from '../../memory/note.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { unpackedName } from '../../sessions/disk/session-archive.ts'
import { isForgottenText, readForgotten } from '../../sessions/disk/tombstones.ts'
import { type Forgotten, withTombstones } from '../../sessions/forget-record.ts'
import { formatEntry, parseSession } from '../../transcript/session.ts'
import { formatStanding, parseStanding } from '../standing-list.ts'

/** Before any time at which something was forgotten. */
const ALWAYS = ''

/** The files without it; the same ones where nothing was forgotten. */
export function withoutForgottenIn(store: Store, files: readonly BundleFile[]): readonly BundleFile[] {
  const forgotten = readForgotten(store)
  const { keys, said, open, whole } = forgotten
  if (keys.size + said.size + open.size + whole.size === 0) return files
  const touched = touchedIn(files, forgotten)
  return files.flatMap((file) => {
    const text = cut(store, file, forgotten, touched)
    return text === null ? [] : [{ ...file, text }]
  })
}

/** Of each session the numbers of the entries that are forgotten: what was made from them tells them, in whatever words. */
type Touched = ReadonlyMap<string, ReadonlySet<number>>

function touchedIn(files: readonly BundleFile[], forgotten: Forgotten): Touched {
  const touched = new Map<string, Set<number>>()
  for (const { path: name, text } of files) {
    const id8 = sessionOf(name)
    if (id8 === null || !isSession(name)) continue
    const before = parseSession(text).entries
    const after = withTombstones(before, id8, 0, forgotten)
    const gone = after.flatMap((entry, n) => (entry.role === 'tombstone' && before[n]?.role !== 'tombstone' ? [n] : []))
    if (gone.length > 0) touched.set(id8, new Set(gone))
  }
  return touched
}

function isSession(name: string): boolean {
  return ['session', 'packed'].includes(bundleKindOf(name) ?? '')
}

/** Every file of a session begins with the same name. */
function sessionOf(name: string): string | null {
  return /^\d{8}_\d{6}_([0-9a-z]{8})\./.exec(path.basename(name))?.[1] ?? null
}

function tells({ session, from, to }: Partial<Note>, touched: Touched): boolean {
  const gone = touched.get(session ?? '')
  return gone !== undefined && [...gone].some((n) => n >= (from ?? 0) && n < (to ?? Number.POSITIVE_INFINITY))
}

function cut(store: Store, { path: name, text }: BundleFile, forgotten: Forgotten, touched: Touched): string | null {
  const isGone = (words: string): boolean => isForgottenText(store, words, ALWAYS)
  const isOfTouched = touched.has(sessionOf(name) ?? '')
  switch (bundleKindOf(name)) {
    case 'session':
    case 'packed': {
      const id8 = id8OfFile(unpackedName(path.basename(name)) ?? path.basename(name)) ?? ''
      return entriesWithout(text, id8, forgotten)
    }
    case 'memory':
    case 'archive':
      return parseMemory(text)
        .filter(({ raw, note }) => !isGone(note?.text ?? raw) && !(note !== null && tells(note, touched)))
        .map(({ raw }) => raw)
        .join('')
    case 'facts':
      return factsWithout(text, isGone)
    case 'standing': {
      const list = parseStanding(text)
      return formatStanding({ ...list, standing: list.standing.filter((one) => !isGone(one.text)) })
    }
    case 'session-summary':
      return isOfTouched ? null : text
    case 'tier':
      return [...touched.keys()].some((id8) => text.includes(id8)) ? null : text
    case 'page':
    case 'rules':
      return text
        .split('\n')
        .filter((line) => line.trim() === '' || !isGone(line))
        .join('\n')
    case 'session-facts':
      return isOfTouched || stringsIn(text).some(isGone) ? null : text
    case 'archive-summary':
    case 'concepts':
      return touched.size > 0 || stringsIn(text).some(isGone) ? null : text
    default:
      return text
  }
}

/** Numbers stay: a tombstone stands in the place of each. */
function entriesWithout(text: string, id8: string, forgotten: Forgotten): string {
  const { entries } = parseSession(text)
  return withTombstones(entries, id8, 0, forgotten).map(formatEntry).join('')
}

function factsWithout(text: string, isGone: (words: string) => boolean): string {
  const facts = parseFacts(text)
  if (facts === null) return '{}'
  const stays = ({ text: words, evidence }: { text: string; evidence: { quote: string } }): boolean =>
    !isGone(words) && !isGone(evidence.quote)
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS) permanent[kind] = permanent[kind].filter((item) => !isGone(item.text))
  return formatFacts({
    ...facts,
    decisions: facts.decisions.filter(stays),
    patterns: facts.patterns.filter(stays),
    issues: facts.issues.filter(stays),
    permanent,
  })
}

function stringsIn(json: string): string[] {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => quotedIn(quoted))
}

function quotedIn(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted.slice(1, -1)
  }
}

/** What arrives from the user's other machines: rows under the machine's name, proposed rules, sessions, and fingerprints of what was forgotten there. */

import path from 'node:path'
import { scrubText } from '../../../core/files.ts'
import { performForget } from '../../../core/forget/disk/forget.ts'
import { readFacts, writeFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { addPermanent } from '../../../core/knowledge/permanent.ts'
import { knownAs } from '../../../core/knowledge/reflection.ts'
import { listNotes } from '../../../core/notes/disk/note-list.ts'
import { keepSenders, senderOf, writeOthers } from '../../../core/others/disk/others.ts'
import { formatOthers, isOthersFile, type OtherRow, parseOthers } from '../../../core/others/others.ts'
import { readRules } from '../../../core/pages/disk/rules.ts'
import { cleanRule, isBuiltIn, isRule } from '../../../core/pages/rule.ts'
import { COMMAND_WAIT_MS, type Store, underLock } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { disk, list, makeDir, readOwnText } from '../../../kernel/platform/disk/files.ts'
import { id8OfFile, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { allSessionFiles } from '../../../kernel/sessions/disk/session-archive.ts'
import { addForgotten, readForgotten, tombstonesIn } from '../../../kernel/sessions/disk/tombstones.ts'
import { joinMachines, type MachineRows, type OwnMemory, withArrival } from '../join.ts'
import { FORGOTTEN_ROWS, ROWS_FILE, SESSIONS_FOLDER } from '../manifest.ts'
import type { Branch } from './repository.ts'

export interface Arrived extends MachineRows {
  /** Lines of the machine's `forgotten.jsonl`. */
  forgotten: readonly string[]
  sessions: readonly { file: string; text: string }[]
}

/** Reads a machine's folder of this project. A machine without that folder sends nothing. */
export function arrivedFrom({ manifest, read }: Branch, folder: string, projectKey: string, who: string): Arrived {
  const isThere = manifest.projects[folder] === projectKey
  const names = Object.keys(manifest.files).filter((file) => isThere && file.startsWith(`${folder}/`))
  const bytes = new Map(read(names).map((one, i) => [(names[i] ?? '').slice(folder.length + 1), one]))
  const sessions = [...bytes].filter(([name]) => name.startsWith(`${SESSIONS_FOLDER}/`))
  return {
    machine: manifest.machine,
    who,
    rows: parseOthers(bytes.get(ROWS_FILE)?.toString('utf8') ?? ''),
    forgotten: bytes.get(FORGOTTEN_ROWS)?.toString('utf8').split('\n') ?? [],
    sessions: sessions.map(([name, text]) => ({ file: path.posix.basename(name), text: text.toString('utf8') })),
  }
}

/** Records what other machines forgot. `first` runs before: it records that deleting is pending, so that the next sync deletes if this one is killed. */
export function takeForgotten(store: Store, arrived: readonly Arrived[], first: () => void): void {
  const lines = arrived.flatMap(({ forgotten }) => forgotten)
  if (lines.length > 0) underLock(store, COMMAND_WAIT_MS, () => addForgotten(store, lines, first))
}

/** Deletes here what another machine forgot. Returns the files that still contain it. */
export function carryOut(store: Store, now: string): string[] {
  return performForget(store, { what: { is: 'records' } }, now).left
}

/** Stores each machine's rows in a file of its own. Files of machines that are not in `confirmed` are deleted. */
export function keepRows(
  store: Store,
  own: readonly OtherRow[],
  arrived: readonly Arrived[],
  confirmed: readonly string[],
  now: string,
): void {
  const dir = path.join(store.places.others, 'machine')
  const keptOf = (machine: string): OtherRow[] => parseOthers(readOwnText(path.join(dir, `${machine}.jsonl`)) ?? '')
  const timed = arrived.map((one) => ({ ...one, rows: withArrival(one.rows, keptOf(one.machine), now) }))
  const joined = joinMachines(ownMemory(store, own), timed, readForgotten(store))
  const redact = redactorFor(store.config)
  for (const [machine, rows] of joined) {
    const text = scrubText('rows.jsonl', formatOthers(rows), redact).text
    const before = readOwnText(path.join(dir, `${machine}.jsonl`))
    if ((before ?? '') !== text) writeOthers(store.places, 'machine', machine, text === '' ? null : text)
  }
  for (const name of list(dir).filter(isOthersFile))
    if (!confirmed.includes(name.replace('.jsonl', ''))) disk.remove(path.join(dir, name))
}

function ownMemory(store: Store, rows: readonly OtherRow[]): OwnMemory {
  const standing = allSessions(store.readState()).flatMap(([, { file, stands }]) =>
    stands === undefined ? [] : (id8OfFile(file) ?? []),
  )
  return {
    noted: new Set(listNotes(store).notes.flatMap(({ session }) => session ?? [])),
    standing: new Set(standing),
    rows,
  }
}

/** Proposes other machines' rules; the user accepts them on this machine. A rule that is known here, in any state, is not proposed again. */
export function proposeRules(store: Store, arrived: readonly Arrived[], now: string): void {
  const rules = arrived.flatMap(({ who, rows }) =>
    rows.filter(({ type }) => type === 'rule').map((row) => ({ who, text: cleanRule(row.text) })),
  )
  if (rules.length === 0 || store.ownership === 'foreign') return
  underLock(store, COMMAND_WAIT_MS, () => {
    const before = readFacts(store)
    const own = new Set(readRules(store).map((rule) => rule.toLowerCase()))
    const after = rules.reduce((facts, { who, text }) => {
      const isKnown = isBuiltIn(text) || own.has(text.toLowerCase()) || knownAs(facts, { text, facts: [] }) !== null
      if (isKnown || !isRule(text)) return facts
      return addPermanent(facts, {
        kind: 'rules',
        text,
        at: now,
        usedAt: now,
        askedAt: now,
        from: who,
        by: 'user',
        state: 'proposed',
        facts: [],
        evidence: [],
        concept: null,
      }).items
    }, before)
    if (after !== before) writeFacts(store, before, after, now)
  })
}

/** Stores sessions that this machine did not capture; of two copies the longer one. `isAll`: every machine was read, so that sessions which none has any more are deleted. */
export function keepSessions(store: Store, arrived: readonly Arrived[], isAll: boolean): void {
  const dir = path.join(store.places.others, SESSIONS_DIR)
  const own = new Set(allSessionFiles(store.dir).map(id8OfFile))
  const forgotten = readForgotten(store)
  const redact = redactorFor(store.config)
  const wanted = new Map<string, string>()
  const senders = new Map(allSessionFiles(store.places.others).map((file) => [file, senderOf(store.places, file)]))
  for (const { who, sessions } of store.config.syncSessions ? arrived : [])
    for (const { file, text } of sessions)
      if (text.length > (wanted.get(file)?.length ?? 0) && !own.has(id8OfFile(file))) {
        wanted.set(file, text)
        senders.set(file, who)
      }
  for (const file of isAll ? [...senders.keys()] : [])
    if (!wanted.has(file) && senders.delete(file)) disk.remove(path.join(dir, file))
  for (const [file, text] of wanted) {
    const clean = scrubText(file, tombstonesIn(text, id8OfFile(file) ?? '', forgotten), redact).text
    if (readOwnText(path.join(dir, file)) === clean) continue
    makeDir(dir)
    disk.replace(path.join(dir, file), clean)
  }
  keepSenders(store.places, senders)
}

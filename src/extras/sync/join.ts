/** Which rows of other machines are kept: each once, none that this machine has itself, none that was forgotten. */
import { isForgottenRow, type OtherRow, sessionOfRow, wordsOfRow } from '../../core/others/others.ts'
import type { Forgotten } from '../../kernel/sessions/forget-record.ts'

/** What this machine knows itself; two machines may have captured the same session. */
export interface OwnMemory {
  /** Sessions (id8) that have a note. */
  noted: ReadonlySet<string>
  /** Sessions (id8) for which this machine knows where they stand. */
  standing: ReadonlySet<string>
  rows: readonly OtherRow[]
}

export interface MachineRows {
  machine: string
  /** The machine's name in search results and briefings here. */
  who: string
  rows: readonly OtherRow[]
}

/** The rows to keep, by machine. Rules are left out: they are proposed. A row that several machines have is kept for the first one. */
export function joinMachines(
  own: OwnMemory,
  machines: readonly MachineRows[],
  forgotten: Forgotten,
): Map<string, OtherRow[]> {
  const seen = new Set(own.rows.map(wordsOfRow))
  const noted = new Map([...own.noted].map((id8) => [id8, '']))
  const joined = new Map<string, OtherRow[]>()
  for (const { machine, who, rows } of machines.toSorted((a, b) => (a.machine < b.machine ? -1 : 1))) {
    const kept = rows.filter((row) => {
      const session = sessionOfRow(row)
      if (row.type === 'rule' || seen.has(wordsOfRow(row)) || isForgottenRow(row, forgotten)) return false
      if (session !== null && row.type === 'stands' && own.standing.has(session)) return false
      if (session === null || row.type !== 'note') return true
      // A session that two machines captured has the notes of one of them.
      if (!noted.has(session)) noted.set(session, machine)
      return noted.get(session) === machine
    })
    for (const row of kept) seen.add(wordsOfRow(row))
    joined.set(
      machine,
      kept.map((row) => ({ ...row, who })),
    )
  }
  return joined
}

/** Replaces a time in the future by the time of arrival. A row that arrived earlier keeps the time that it has in `kept`, the rows on disk. */
export function withArrival(rows: readonly OtherRow[], kept: readonly OtherRow[], now: string): readonly OtherRow[] {
  const before = new Map(kept.map(({ id, arrived }) => [id, arrived]))
  return rows.map((row) => {
    const arrived = before.get(row.id) ?? (row.at > now ? now : row.at)
    return arrived < row.at ? { ...row, arrived } : row
  })
}

/** The machines' names as shown here: those that the user gave, with a suffix where two are the same. */
export function namesOf(machines: readonly Pick<MachineRows, 'machine' | 'who'>[], own: string): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set([own])
  for (const { machine, who: name } of machines.toSorted((a, b) => (a.machine < b.machine ? -1 : 1))) {
    const shownName = taken.has(name) ? `${name.slice(0, 30)}-${machine.slice(0, 4)}` : name
    taken.add(shownName)
    names.set(machine, shownName)
  }
  return names
}

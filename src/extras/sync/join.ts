/** What is kept of other machines' rows: each thing once, nothing that this machine has itself, nothing that was forgotten. */
import { isForgottenRow, type OtherRow, sessionOfRow, wordsOfRow } from '../../core/others/others.ts'
import type { Forgotten } from '../../kernel/sessions/forget-record.ts'

/** What this machine has itself of sessions that two machines may have captured. */
export interface OwnMemory {
  /** Sessions (id8) that have a note. */
  noted: ReadonlySet<string>
  /** Sessions (id8) of which it is known where they stand. */
  standing: ReadonlySet<string>
  rows: readonly OtherRow[]
}

export interface MachineRows {
  machine: string
  /** The name under which its rows are told here. */
  who: string
  rows: readonly OtherRow[]
}

/** By machine. Rules are not among them: they are proposed. The first machine that has a thing keeps it. */
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

/** A row that names a time to come gets that of its arrival; `kept`, the rows as they stand here, have it of those that came before. */
export function withArrival(rows: readonly OtherRow[], kept: readonly OtherRow[], now: string): readonly OtherRow[] {
  const before = new Map(kept.map(({ id, arrived }) => [id, arrived]))
  return rows.map((row) => {
    const arrived = before.get(row.id) ?? (row.at > now ? now : row.at)
    return arrived < row.at ? { ...row, arrived } : row
  })
}

/** Names under which machines are told here: what the user called them, told apart where two have the same name. */
export function namesOf(machines: readonly Pick<MachineRows, 'machine' | 'who'>[], own: string): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set([own])
  for (const { machine, who: name } of machines.toSorted((a, b) => (a.machine < b.machine ? -1 : 1))) {
    const told = taken.has(name) ? `${name.slice(0, 30)}-${machine.slice(0, 4)}` : name
    taken.add(told)
    names.set(machine, told)
  }
  return names
}

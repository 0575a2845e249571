/** A check of the doctor is a row: a name, and a look that returns what was found and what fixes it. */
import type { Store } from '../../memory/disk/store.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'

/** What `doctor --fix` does about a finding. */
export type MendName = 'modes' | 'import' | 'restore'

export interface Found {
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  fix?: string
  mend?: MendName
}

export type Check = { name: string } & Found

export interface HealthWorld {
  now: string
  nodeVersion: string
}

/** One installation of our plugin; there may be several, by scope and by marketplace. */
export interface Installed {
  /** `name@marketplace`. */
  id: string
  scope: string
  version: string
}

/** What the host's own files say. */
export interface Host {
  /** Our plugin, as installed for this project. */
  ours: Installed[]
  /** `name@marketplace` of every plugin that is enabled here. */
  enabled: ReadonlySet<string>
  keptDays: number
  statusLine: string
  /** Settings files that are no valid JSON. */
  broken: string[]
}

/** What the checks look at. The functions read once, when the first check calls them. */
export interface Seen extends HealthWorld {
  store: Store
  host: () => Host
  hooks: () => readonly HookTime[]
  /** The store with the state as it is after a catch-up that is going on. */
  captured: () => Store
  /** Transcripts that are not wholly captured. */
  behind: () => readonly string[]
}

export type CheckRow = readonly [name: string, look: (seen: Seen) => Found]

export const ok = (finding: string, fix?: string): Found => ({
  verdict: 'ok',
  finding,
  ...(fix === undefined ? {} : { fix }),
})
const wrong =
  (verdict: Found['verdict']) =>
  (finding: string, fix: string, mend?: MendName): Found => ({
    verdict,
    finding,
    fix,
    ...(mend === undefined ? {} : { mend }),
  })
export const warn = wrong('warning')
export const bad = wrong('problem')

/** As many of a list as a person reads. */
const FEW = 5

export function few(all: readonly string[]): string {
  return `${all.slice(0, FEW).join(', ')}${all.length > FEW ? ` and ${all.length - FEW} more` : ''}`
}

/** A check of the doctor is a row: a name, and a function that returns a finding and its fix. */
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { ExtraFinding } from '../../extra.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'

/** What `doctor --fix` does about a finding. */
export type MendName = 'modes' | 'import' | 'restore' | 'doubles' | 'summaries'

/** A finding, and what `doctor --fix` does about it. */
export interface Finding extends ExtraFinding {
  mend?: MendName | undefined
}

export type Check = { name: string } & Finding

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

/** The content of the host's own files. */
export interface Host {
  /** Our plugin, as installed for this project. */
  ours: Installed[]
  /** Enabled plugins of our name that are not ours. Not installed: a project's settings alone switch it on. */
  namesakes: (Installed & { isInstalled: boolean })[]
  /** Settings files with hooks that call the scripts of the earlier plugin. */
  copiedHooks: string[]
  /** `name@marketplace` of every plugin that is enabled here, in the order in which the host loads them. */
  enabled: ReadonlySet<string>
  keptDays: number
  statusLine: string
  /** Settings files with invalid JSON. */
  broken: string[]
}

/** The input of the checks. The functions read once, on the first call. */
export interface Examined extends HealthWorld {
  store: Store
  host: () => Host
  hooks: () => readonly HookTime[]
  /** Transcripts that are not completely captured. */
  behind: () => readonly string[]
}

export type CheckRow = readonly [name: string, look: (seen: Examined) => Finding]

export const ok = (finding: string, fix?: string): Finding => ({ verdict: 'ok', finding, fix })
const wrong =
  (verdict: Finding['verdict']) =>
  (finding: string, fix: string, mend?: MendName): Finding => ({ verdict, finding, fix, mend })
export const warn = wrong('warning')
export const problem = wrong('problem')

/** The number of items shown of a list. */
const FEW = 5

export function few(all: readonly string[]): string {
  return `${all.slice(0, FEW).join(', ')}${all.length > FEW ? ` and ${all.length - FEW} more` : ''}`
}

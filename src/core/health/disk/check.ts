/** A check is a row: a name, a function that returns what it found and the next step, and who looks. */
import type { Finding, FindingInput, FindingRow } from '../../extra.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'
import type { Loss } from '../../vault/disk/vault.ts'

/** What `doctor --fix` does about a finding. */
export type MendName = 'modes' | 'import' | 'restore' | 'doubles' | 'summaries'

/** A finding, and what `doctor --fix` does about it. */
export interface MendableFinding extends Finding {
  mend?: MendName | undefined
}

export type Check = { name: string; at: FindingRow[2] } & MendableFinding

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

/** The input of the checks of a start. The functions read once, on the first call. */
export interface SeenAtStart extends FindingInput {
  host: () => Host
  hooks: () => readonly HookTime[]
  /** Files that lack what the vault has: at a start only those directly in the memory. */
  losses: () => readonly Loss[]
}

export interface Examined extends SeenAtStart {
  nodeVersion: string
  /** Transcripts that are not completely captured. */
  behind: () => readonly string[]
}

export type StartRow = FindingRow<SeenAtStart, MendableFinding>
export type CheckRow = FindingRow<Examined, MendableFinding>

/** What the rows found; a look that throws is a problem. */
export function lookAt<S extends FindingInput>(rows: readonly FindingRow<S, MendableFinding>[], seen: S): Check[] {
  return rows.flatMap(([name, look, at]) => tried(() => look(seen)).map((found) => ({ name, at, ...found })))
}

function tried(look: () => MendableFinding | readonly MendableFinding[]): MendableFinding[] {
  try {
    return [look()].flat()
  } catch (error) {
    return [problem((error as Error).message, 'make the file readable and writable for you, then check again')]
  }
}

export const ok = (finding: string, fix?: string): MendableFinding => ({ verdict: 'ok', finding, fix })
const wrong =
  (verdict: Finding['verdict']) =>
  (finding: string, fix: string, mend?: MendName): MendableFinding => ({ verdict, finding, fix, mend })
export const warn = wrong('warning')
export const problem = wrong('problem')
export const asks = wrong('asks')
export const news = wrong('news')

/** The number of items shown of a list. */
const FEW = 5

export function few(all: readonly string[]): string {
  return `${all.slice(0, FEW).join(', ')}${all.length > FEW ? ` and ${all.length - FEW} more` : ''}`
}

/** A finding about the health of a memory: what was looked at, what was found, and what helps. */

/** What `doctor --fix` does about a finding by itself. */
export type MendName = 'modes' | 'strays' | 'caches' | 'import' | 'restore' | 'index'

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
  /** Ours. */
  version: string
  /** Where our built programs lie; null: unknown. */
  programs: string | null
}

function found(verdict: Found['verdict'], finding: string, fix?: string, mend?: MendName | undefined): Found {
  return { verdict, finding, ...(fix === undefined ? {} : { fix }), ...(mend === undefined ? {} : { mend }) }
}

export const ok = (finding: string, fix?: string): Found => found('ok', finding, fix)
export const warn = (finding: string, fix: string, mend?: MendName | undefined): Found =>
  found('warning', finding, fix, mend)
export const bad = (finding: string, fix: string, mend?: MendName | undefined): Found =>
  found('problem', finding, fix, mend)

/** Of a list as many as a person reads. */
const FEW = 5

export function few(all: readonly string[]): string {
  return `${all.slice(0, FEW).join(', ')}${all.length > FEW ? ` and ${all.length - FEW} more` : ''}`
}

/** A finding about the health of a memory: what was looked at, what was found, and what helps. */

/** What `doctor --fix` does about a finding by itself. */
export type MendName = 'modes' | 'strays' | 'caches' | 'import' | 'restore' | 'index'

export interface Check {
  name: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  fix?: string
  mend?: MendName
}

export interface HealthWorld {
  now: string
  nodeVersion: string
  /** Ours. */
  version: string
  /** Where our built programs lie; null: unknown. */
  programs: string | null
}

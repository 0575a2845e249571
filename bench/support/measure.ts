/** Timing of whole processes, variants in turn, so that a busy machine slows all of them alike; results are ratios. */
import { spawnSync } from 'node:child_process'

export interface Variant {
  name: string
  command: string
  args: string[]
  stdin?: string
  env?: Record<string, string>
  cwd?: string
  /** Before each run, not measured. */
  before?: () => void
}

export interface Timed {
  name: string
  p50: number
  p95: number
  min: number
}

/** What a hook sees, without this machine's certificates, which Node 20 parses at every start. */
export function cleanEnv(extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...extra }
}

export function timeVariants(variants: readonly Variant[], rounds: number): Timed[] {
  const times = new Map<string, number[]>(variants.map((variant) => [variant.name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const variant of variants) {
      variant.before?.()
      const began = process.hrtime.bigint()
      const done = spawnSync(variant.command, variant.args, {
        input: variant.stdin ?? '',
        env: variant.env ?? cleanEnv(),
        ...(variant.cwd === undefined ? {} : { cwd: variant.cwd }),
      })
      const ms = Number(process.hrtime.bigint() - began) / 1e6
      if (done.status !== 0) throw new Error(`${variant.name} failed: ${done.stderr}`)
      if (round >= 0) times.get(variant.name)?.push(ms)
    }
  }
  return [...times].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    return { name, p50: at(sorted, 0.5), p95: at(sorted, 0.95), min: sorted[0] ?? 0 }
  })
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** A markdown table with each variant's ratio to the first one; of minima too, which a busy machine disturbs least. */
export function renderTimes(timed: readonly Timed[]): string {
  const base = timed[0]
  if (base === undefined) return ''
  const rows = timed.map(
    ({ name, p50, p95, min }) =>
      `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${min.toFixed(1)} | ${(p50 / base.p50).toFixed(2)} | ${(min / base.min).toFixed(2)} |`,
  )
  return ['| | p50 ms | p95 ms | min ms | p50 ratio | min ratio |', '|---|--:|--:|--:|--:|--:|', ...rows].join('\n')
}

/** Health: every check with its fix, the cost of the memory, and its size. */
import type { JSX } from 'preact'
import type { HealthView } from '../../server/api.ts'
import { useAsked } from '../ask.ts'
import { HealthCharts } from '../charts/charts.tsx'
import { sayBytes, sayCount, sayFullDay, sayMany, sayMs } from '../say.ts'
import { ScrollView, Tiles } from '../shown.tsx'

export function HealthScreen(): JSX.Element {
  const asked = useAsked<HealthView>('health')
  return (
    <ScrollView title="Health" isWide asked={asked}>
      {(health) => (
        <>
          <Figures health={health} />
          <Checks checks={health.checks} />
          <HealthCharts health={health} />
          <Errors errors={health.errors} />
        </>
      )}
    </ScrollView>
  )
}

function Figures({ health }: { health: HealthView }): JSX.Element {
  const { coverage, hooks, redactions, badLines, bytes } = health
  const last = hooks.reduce<HealthView['hooks'][number] | null>(
    (found, row) => (found === null || row.day >= found.day ? row : found),
    null,
  )
  const today = hooks.filter(({ day }) => day === last?.day)
  const slowest = today.reduce((most, { p95 }) => Math.max(most, p95), 0)
  const behind = coverage.behind + coverage.damaged
  const captured = `${sayCount(coverage.transcripts - behind)} of ${sayCount(coverage.transcripts)}`
  const damaged = coverage.damaged > 0 ? `, ${coverage.damaged} damaged` : ''
  const tiles: [name: string, figure: string, more: string][] = [
    ['captured', behind === 0 ? 'all' : captured, `${sayCount(coverage.transcripts)} transcripts${damaged}`],
    [
      'slowest hook, p95',
      slowest === 0 ? '–' : sayMs(slowest),
      last === null ? 'no hook ran yet' : `on ${sayFullDay(last.day)}`,
    ],
    ['secrets kept out', sayCount(redactions), 'redacted before they reached the disk'],
    ['lines not understood', sayCount(badLines), badLines === 0 ? 'every line was read' : 'skipped and counted'],
    [
      'on disk',
      sayBytes(bytes.sessions + bytes.memory + bytes.index + bytes.vault),
      `sessions ${sayBytes(bytes.sessions)}, index ${sayBytes(bytes.index)}, vault ${sayBytes(bytes.vault)}`,
    ],
  ]
  return <Tiles tiles={tiles.map(([name, figure, more]) => ({ name, figure, more }))} />
}

const ORDER = { problem: 0, warning: 1, asks: 2, news: 3, ok: 4 } as const
const SIGNS = { problem: '✗', warning: '!', asks: '?', news: '·', ok: '✓' } as const

/** Checks about what leaves this machine are shown even if nothing is wrong. */
const ALWAYS: ReadonlySet<string> = new Set(['sync', 'team'])

/** The checks with findings and their fixes, and those that are always shown; the others are folded. */
function Checks({ checks }: { checks: HealthView['checks'] }): JSX.Element {
  const found = checks.filter(({ verdict }) => verdict !== 'ok').sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
  const fine = checks.filter(({ verdict }) => verdict === 'ok')
  const listed = [...found, ...fine.filter(({ name }) => ALWAYS.has(name))]
  const folded = fine.filter(({ name }) => !ALWAYS.has(name))
  return (
    <section class="group">
      <h2>
        Checks{' '}
        <span class="count">
          {found.length === 0 ? `${checks.length}, all fine` : `${found.length} of ${checks.length} found something`}
        </span>
      </h2>
      <ul class="checks">
        {listed.map((check) => (
          <Check key={check.name} check={check} />
        ))}
      </ul>
      {folded.length === 0 ? null : (
        <details class="fold checks">
          <summary>{sayMany(folded.length, 'check')} without a finding</summary>
          <ul>
            {folded.map((check) => (
              <Check key={check.name} check={check} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Check({ check: { name, verdict, finding, fix } }: { check: HealthView['checks'][number] }): JSX.Element {
  return (
    <li class={`check is-${verdict}`}>
      <span class="check-sign" aria-hidden="true">
        {SIGNS[verdict]}
      </span>
      <b>
        {name}
        <span class="hidden">: {verdict}</span>
      </b>
      <span class="check-finding" dir="auto">
        {finding}
        {fix === '' ? null : (
          <span class="check-fix" dir="auto">
            {fix}
          </span>
        )}
      </span>
    </li>
  )
}

function Errors({ errors }: { errors: readonly string[] }): JSX.Element {
  return (
    <section class="group">
      <h2>
        Log <span class="count">{errors.length === 0 ? 'empty' : `newest ${errors.length}`}</span>
      </h2>
      {errors.length === 0 ? (
        <p class="muted">Errors of hooks are logged here; they never disturb a session.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre class="log" tabIndex={0} dir="auto">
          {errors.join('\n')}
        </pre>
      )}
    </section>
  )
}

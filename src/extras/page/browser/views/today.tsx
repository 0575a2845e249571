/** Overview: where things stand, what is open, what waits for a yes, and what the memory costs. */
import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import type { Overview, Spent, TodayView } from '../../server/api.ts'
import { useAsked } from '../ask.ts'
import { askAct, undo } from '../confirm.tsx'
import { walkRows } from '../keys.tsx'
import { formatRoute } from '../route.ts'
import { sayBrief, sayCount, sayDate, sayMany, sayMoment, sayUsd } from '../say.ts'
import { Act, Badge, Empty, hrefOf, ScrollView, Tiles } from '../shown.tsx'
import { OverviewContext, useMayChange } from '../source.ts'
import { Rule } from './knowledge.tsx'

export function TodayScreen(): JSX.Element {
  const overview = useContext(OverviewContext)
  const asked = useAsked<TodayView>('today')
  return (
    <ScrollView title="Overview" isWide asked={asked}>
      {(today) => (
        <>
          <Figures overview={overview} today={today} />
          {today.proposed.length === 0 ? null : (
            <section class="group">
              <h2>Waiting for your approval</h2>
              {today.proposed.map((row) => (
                <Rule key={row.id} row={row} />
              ))}
            </section>
          )}
          <div class="today">
            <Stands sessions={today.sessions} />
            <Issues today={today} />
          </div>
          <LastChange change={today.lastChange} />
        </>
      )}
    </ScrollView>
  )
}

const HEALTH = { good: 'nothing to mend', fair: 'warnings', poor: 'problems', '': 'checking…' } as const

function Figures({ overview, today: { today, week } }: { overview: Overview | null; today: TodayView }): JSX.Element {
  const { sessions = 0, entries = 0, health = '', findings = null } = overview ?? {}
  const found = findings === null || findings === 0 ? HEALTH[health] : sayMany(findings, 'finding')
  const injected = `${sayBrief(today.injected)} tokens`
  const calls = `${sayCalls(today)}; ${sayUsd(week.costUsd)} in 7 days`
  return (
    <Tiles
      tiles={[
        { name: 'sessions', figure: sayCount(sessions), more: sayMany(entries, 'entry', 'entries'), view: 'timeline' },
        { name: 'injected today', figure: injected, more: `${sayBrief(week.injected)} in 7 days`, view: 'injected' },
        { name: 'background calls today', figure: sayUsd(today.costUsd), more: calls, view: 'health' },
        { name: 'health', figure: health || '…', more: found, view: 'health', look: `is-${health}` },
      ]}
    />
  )
}

function sayCalls({ calls, tokens }: Spent): string {
  return calls === 0 ? 'no call' : `${sayMany(calls, 'call')}, ${sayBrief(tokens)} tokens`
}

function Stands({ sessions }: { sessions: TodayView['sessions'] }): JSX.Element {
  return (
    <section class="group">
      <h2>Where things stand</h2>
      {sessions.length === 0 ? (
        <Empty title="No session yet">
          Every session of Claude Code in this project appears here as soon as its first turn ends. Earlier ones come
          with <code>memory-keeper import</code>.
        </Empty>
      ) : null}
      <ul class="stands">
        {sessions.map(({ id, goal, stands, endedAt, isRunning }) => (
          <li key={id}>
            <a href={formatRoute('timeline', id)} dir="auto" onKeyDown={walk}>
              {goal}
            </a>
            <p class="meta">
              {isRunning ? <Badge tone="good">running</Badge> : null}
              <time dateTime={endedAt}>{sayMoment(endedAt)}</time>
            </p>
            {stands === '' ? null : (
              <p class="where" dir="auto">
                {stands}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Issues({ today: { issues, openIssues, left } }: { today: TodayView }): JSX.Element {
  const mayChange = useMayChange()
  return (
    <section class="group">
      <h2>
        Open issues <span class="count">{openIssues + left.length}</span>
      </h2>
      {openIssues + left.length === 0 ? <p class="muted">Nothing is known to be open.</p> : null}
      <ul class="stands">
        {issues.map((issue) => (
          <li key={issue.id}>
            <a href={hrefOf(issue.id)} dir="auto" onKeyDown={walk}>
              {issue.text}
            </a>
            <p class="meta">
              <code>{issue.id}</code>
              <time dateTime={issue.lastAt}>{sayDate(issue.lastAt)}</time>
              {mayChange ? <Act name="Resolve…" does={() => askAct('resolve', issue)} /> : null}
            </p>
          </li>
        ))}
        {left.map(({ source, text }) => (
          <li key={source + text}>
            {source === '' ? text : <a href={hrefOf(`L1:${source}`)}>{text}</a>}
            <p class="meta">left by the last session</p>
          </li>
        ))}
      </ul>
      {openIssues > issues.length ? (
        <a href={formatRoute('knowledge', '', { type: 'open' })}>All {sayCount(openIssues)}</a>
      ) : null}
    </section>
  )
}

/** The toast disappears after some seconds; the last change can be undone from here at any time. */
function LastChange({ change }: { change: TodayView['lastChange'] }): JSX.Element | null {
  const mayChange = useMayChange()
  if (change === null) return null
  return (
    <p class="meta">
      <span>Last change, {sayMoment(change.at)}:</span> <bdi>{change.what}</bdi>
      {mayChange ? <Act name="Undo" does={() => void undo()} /> : null}
    </p>
  )
}

const walk = walkRows('a')

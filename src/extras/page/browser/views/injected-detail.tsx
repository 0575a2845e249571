/** What was injected into one session: its briefing line by line with the reasons, the rules, and each recall. */
import type { JSX } from 'preact'
import type { InjectedPage } from '../../server/api.ts'
import { useAsked } from '../ask.ts'
import { PARTS, totalOf } from '../charts/parts.tsx'
import { formatRoute } from '../route.ts'
import { sayCount, sayMany, sayMoment, sayTime } from '../say.ts'
import { Badge, Icon, Linked, PlaceView, ShownChoice } from '../shown.tsx'

export function InjectedDetail({ id }: { id: string }): JSX.Element {
  const asked = useAsked<InjectedPage>(`injected/${encodeURIComponent(id)}`)
  return (
    <article class="page-width">
      <a class="back only-narrow" href={formatRoute('injected')}>
        <Icon name="back" /> Sessions
      </a>
      <ShownChoice asked={asked}>
        {(page) => (
          <>
            <Head page={page} />
            <Briefing lines={page.briefing} />
            <Rules rules={page.rules} prompts={page.row.prompts} />
            <Recalls recalls={page.recalls} />
          </>
        )}
      </ShownChoice>
    </article>
  )
}

function Head({ page: { row } }: { page: InjectedPage }): JSX.Element {
  return (
    <header class="session-head">
      <h2 dir="auto">{row.goal === '' ? `Session ${row.id}` : row.goal}</h2>
      <p class="meta">
        <code>{row.id}</code>
        <span>{sayMoment(row.at)}</span>
        <span>{sayMany(row.prompts, 'prompt')}</span>
        <a href={formatRoute('timeline', row.id)}>The session</a>
      </p>
      <dl class="part-figures">
        {PARTS.map(({ key, label }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{sayCount(row[key])}</dd>
          </div>
        ))}
        <div>
          <dt>all tokens</dt>
          <dd>{sayCount(totalOf(row))}</dd>
        </div>
      </dl>
    </header>
  )
}

type BriefingLine = InjectedPage['briefing'][number]

function Briefing({ lines }: { lines: readonly BriefingLine[] }): JSX.Element {
  const sections = sectionsOf(lines)
  return (
    <section class="told">
      <h3>
        Briefing <span class="count">{sayCount(sum(lines))} tokens</span>
      </h3>
      {lines.length === 0 ? <p class="muted">This session was not briefed.</p> : null}
      {sections.map(({ name, lines: its }, i) => (
        <section key={i} class="told-section">
          <h4>
            {name === '' ? 'Beginning' : name} <span class="count">{sayCount(sum(its))}</span>
          </h4>
          <ul>
            {its.map((line, n) => (
              <li key={n}>
                <span class={line.text.startsWith('#') ? 'told-text is-heading' : 'told-text'} dir="auto">
                  <Linked text={line.text} />
                </span>
                <span class="told-tokens">{line.tokens}</span>
                {line.why === '' ? null : <span class="told-why">{sayWhy(line.why)}</span>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

function sum(lines: readonly { tokens: number }[]): number {
  return lines.reduce((all, { tokens }) => all + tokens, 0)
}

function sectionsOf(lines: readonly BriefingLine[]): { name: string; lines: BriefingLine[] }[] {
  const sections: { name: string; lines: BriefingLine[] }[] = []
  for (const line of lines) {
    const last = sections.at(-1)
    if (last !== undefined && last.name === line.section) last.lines.push(line)
    else sections.push({ name: line.section, lines: [line] })
  }
  return sections
}

function Rules({ rules, prompts }: { rules: InjectedPage['rules']; prompts: number }): JSX.Element {
  return (
    <section class="told">
      <h3>Rules</h3>
      {rules.length === 0 ? <p class="muted">No rule was injected with its {sayMany(prompts, 'prompt')}.</p> : null}
      {rules.map(({ text, tokens, times }, i) => (
        <div class="told-block" key={i}>
          <p class="meta">
            <span>{sayMany(times, 'time')}</span>
            <span>{sayCount(tokens)} tokens each</span>
          </p>
          <pre dir="auto">{text}</pre>
        </div>
      ))}
    </section>
  )
}

function Recalls({ recalls }: { recalls: InjectedPage['recalls'] }): JSX.Element {
  return (
    <section class="told">
      <h3>
        Recalls <span class="count">{recalls.filter(({ isTold }) => isTold).length}</span>
      </h3>
      {recalls.length === 0 ? <p class="muted">Nothing was looked up with its prompts.</p> : null}
      {recalls.map(({ at, isTold, text, tokens, why, shown }, i) => (
        <div class={isTold ? 'told-block' : 'told-block is-silent'} key={i}>
          <p class="meta">
            <time dateTime={at}>{sayTime(at)}</time>
            {isTold ? <span>{sayCount(tokens)} tokens</span> : <Badge>nothing injected</Badge>}
            {why === '' ? null : <span>{why}</span>}
            {shown.map(({ id }) => (
              <PlaceView key={id} id={id} />
            ))}
          </p>
          {text === '' ? null : (
            <pre dir="auto">
              <Linked text={text} />
            </pre>
          )}
        </div>
      ))}
    </section>
  )
}

const AUTHORS: Readonly<Record<string, string>> = {
  extractive: 'found by code',
  headless: 'written in the background',
  agent: 'written by Claude',
  user: 'your own words',
}

export function sayWhy(why: string): string {
  return why
    .replace(/, by (extractive|headless|agent|user)$/, (_, author: string) => `, ${AUTHORS[author] ?? author}`)
    .replace(/, rank (\d+)(?=,|$)/, ', number $1 in line')
    .replace(/, fresh(?=,|$)/, '')
}

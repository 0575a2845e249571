/** The side of the page: project, views with their counts, light or dark. */
import type { JSX } from 'preact'
import type { Overview } from '../dashboard/api.ts'
import { Icon } from './icons.tsx'
import { keysShown } from './keys.tsx'
import { formatRoute, VIEWS, type View } from './route.ts'
import { sayCount, splitPath } from './say.ts'
import { useSource } from './source.ts'
import { chooseTheme, THEMES, theme } from './theme.ts'

export const VIEW_NAMES: Record<View, string> = {
  timeline: 'Timeline',
  memory: 'Memory',
  knowledge: 'Knowledge',
  search: 'Search',
  injected: 'Injected',
  health: 'Health',
}

export function Side({ current, overview }: { current: View; overview: Overview | null }): JSX.Element {
  return (
    <header class="side">
      <div class="brand">
        <span class="brand-name">Memory Keeper</span>
        <Project overview={overview} />
      </div>
      <nav class="views" aria-label="Views">
        {VIEWS.map((view) => (
          <a key={view} href={formatRoute(view)} aria-current={view === current ? 'page' : undefined}>
            <Icon name={view} />
            <span class="view-name">{VIEW_NAMES[view]}</span>
            <Count view={view} overview={overview} />
          </a>
        ))}
      </nav>
      <div class="side-foot">
        <ThemeSwitch />
        <p class="muted">
          <span>{overview === null ? '' : `v${overview.version}`}</span>
          <button type="button" class="quiet" onClick={() => keysShown.set(true)}>
            Keys <kbd>?</kbd>
          </button>
        </p>
      </div>
    </header>
  )
}

function Project({ overview }: { overview: Overview | null }): JSX.Element {
  if (overview === null) return <span class="project">…</span>
  const { name, dir } = splitPath(overview.project.replace(/[\\/]+$/, ''))
  return (
    <>
      <span class="project" dir="auto">
        {name}
      </span>
      <span class="project-dir" title={overview.project}>
        {dir}
      </span>
    </>
  )
}

function Count({ view, overview }: { view: View; overview: Overview | null }): JSX.Element | null {
  if (overview === null) return null
  switch (view) {
    case 'timeline':
      return <span class="count">{sayCount(overview.sessions)}</span>
    case 'memory':
      return <span class="count">{sayCount(overview.notes)}</span>
    case 'knowledge':
      return overview.proposed > 0 ? (
        <span class="count is-new" title={`${overview.proposed} wait for your yes`}>
          {overview.proposed} new
        </span>
      ) : (
        <span class="count">{sayCount(overview.facts)}</span>
      )
    case 'search':
      return <kbd>/</kbd>
    case 'injected':
      return null
    case 'health':
      return overview.findings === null || overview.findings === 0 ? null : (
        <span class="count is-warn" title={`${overview.findings} findings`}>
          {overview.findings}
        </span>
      )
  }
}

function ThemeSwitch(): JSX.Element {
  const chosen = useSource(theme)
  return (
    <fieldset class="switch">
      <legend class="hidden">Colours</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" value={one} checked={one === chosen} onChange={() => chooseTheme(one)} />
          <span>{one}</span>
        </label>
      ))}
    </fieldset>
  )
}

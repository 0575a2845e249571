/** The frame around every view: the current place, the navigation, and problems of the server. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Overview, ProjectItem } from '../server/api.ts'
import { askAgain, project, revision, server, useAsked, useWatch } from './ask.ts'
import { Confirm, Toast } from './confirm.tsx'
import { KeysHelp, keysShown, useKeys } from './keys.tsx'
import { formatRoute, type Route, useRoute, VIEWS, type View } from './route.ts'
import { sayCount, speakIn, splitPath } from './say.ts'
import { Icon } from './shown.tsx'
import { OverviewContext, useSource } from './source.ts'
import { chooseTheme, THEMES, theme } from './theme.ts'
import { HealthScreen } from './views/health.tsx'
import { Injected } from './views/injected.tsx'
import { KnowledgeScreen } from './views/knowledge.tsx'
import { MemoryScreen } from './views/memory.tsx'
import { SearchScreen } from './views/search.tsx'
import { TimelineScreen } from './views/timeline.tsx'
import { TodayScreen } from './views/today.tsx'

const SCREENS: Record<View, readonly [name: string, screen: (at: { route: Route }) => JSX.Element]> = {
  overview: ['Overview', TodayScreen],
  timeline: ['Timeline', TimelineScreen],
  memory: ['Memory', MemoryScreen],
  knowledge: ['Knowledge', KnowledgeScreen],
  search: ['Search', SearchScreen],
  injected: ['Injected', Injected],
  health: ['Health', HealthScreen],
}

export function App(): JSX.Element {
  const route = useRoute()
  const [title, Screen] = SCREENS[route.view]
  const asked = useAsked<Overview>('overview')
  const overview = asked.is === 'here' ? asked.value : null
  // Drawn at once in the browser's time zone, and again if the project uses another one.
  const zone = useMemo(() => speakIn(overview?.timezone ?? ''), [overview?.timezone])
  useKeys()
  useWatch(overview)
  useEffect(() => {
    const name = overview?.project.split(/[\\/]/).at(-1)
    document.title = [title, name, 'Memory Keeper'].filter(Boolean).join(' · ')
  }, [title, overview])

  return (
    <OverviewContext.Provider value={overview}>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <div class="frame">
        <Side current={route.view} overview={overview} />
        <main id="main" tabIndex={-1} aria-label={title}>
          <h1 class="hidden" aria-live="polite">
            {title}
          </h1>
          <Banners overview={overview} failure={asked.is === 'failed' ? asked.message : ''} />
          <div class="view" key={`${route.view} ${zone}`}>
            <Screen route={route} />
          </div>
        </main>
      </div>
      <Toast />
      <Confirm />
      <KeysHelp />
    </OverviewContext.Provider>
  )
}

/** Not a link to an anchor: the part behind the # is the route. */
function skip(): void {
  document.getElementById('main')?.focus()
}

function Banners({ overview, failure }: { overview: Overview | null; failure: string }): JSX.Element | null {
  const state = useSource(server)
  useSource(revision)
  if (state === 'gone') {
    return (
      <Banner kind="bad" title="The dashboard has ended.">
        What you see is the last answer. Start it again with <code>memory-keeper dashboard</code>; this page then goes
        on, or open the address that it prints.
        <button type="button" onClick={askAgain}>
          Try again
        </button>
      </Banner>
    )
  }
  if (state === 'locked') {
    return (
      <Banner kind="bad" title="This browser has no key.">
        Open the whole address that <code>memory-keeper dashboard</code> printed; it holds the key.
      </Banner>
    )
  }
  if (project !== '' && failure !== '') {
    return (
      <Banner kind="bad" title="This project cannot be shown.">
        {failure} <a href="/">To the project that the page was started in</a>
      </Banner>
    )
  }
  if (overview?.standing === 'foreign') {
    return (
      <Banner kind="warn" title="The memory in this project is not yours.">
        It came with the repository and is not read. Look at it with <code>memory-keeper trust</code> before you take it
        over.
      </Banner>
    )
  }
  if (overview?.isReadOnly) {
    return (
      <Banner kind="warn" title="Looking only.">
        {overview.readOnlyWhy}
      </Banner>
    )
  }
  return null
}

interface BannerProps {
  kind: 'bad' | 'warn'
  title: string
  children: ComponentChildren
}

function Banner({ kind, title, children }: BannerProps): JSX.Element {
  return (
    <div class={`banner is-${kind}`} role="alert">
      <strong>{title}</strong> <span>{children}</span>
    </div>
  )
}

function Side({ current, overview }: { current: View; overview: Overview | null }): JSX.Element {
  const views = useRef<HTMLElement>(null)
  // On a narrow screen the views are one line that scrolls.
  useEffect(() => {
    views.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current, overview])
  return (
    <header class="side">
      <div class="brand">
        <span class="brand-name">Memory Keeper</span>
        <Project overview={overview} />
      </div>
      <nav ref={views} class="views" aria-label="Views">
        {VIEWS.map((view) => (
          <a key={view} href={formatRoute(view)} aria-current={view === current ? 'page' : undefined}>
            <Icon name={view} />
            <span class="view-name">{SCREENS[view][0]}</span>
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
  const asked = useAsked<ProjectItem[]>('projects')
  const projects = asked.is === 'here' ? asked.value : []
  if (overview === null && projects.length < 2) return <span class="project">…</span>
  const { name, dir } = nameOf(overview?.project ?? '')
  return (
    <>
      {projects.length < 2 ? (
        <span class="project" dir="auto">
          {name}
        </span>
      ) : (
        <select
          class="project"
          aria-label="Project"
          value={project}
          onChange={({ currentTarget: { value } }) =>
            location.assign(value === '' ? '/' : `/?project=${encodeURIComponent(value)}`)
          }
        >
          {projects.map(({ key, root, isOpen }) => (
            <option key={key} value={key} disabled={!isOpen} selected={key === project} title={root}>
              {nameOf(root).name}
              {isOpen ? '' : ' (not trusted)'}
            </option>
          ))}
        </select>
      )}
      <span class="project-dir" title={overview?.project}>
        {dir}
      </span>
    </>
  )
}

function nameOf(root: string): { dir: string; name: string } {
  return splitPath(root.replace(/[\\/]+$/, ''))
}

function Count({ view, overview }: { view: View; overview: Overview | null }): JSX.Element | null {
  if (overview === null) return null
  const { sessions, notes, facts, proposed, findings } = overview
  const plain = { timeline: sessions, memory: notes, knowledge: facts }[view as string]
  if (view === 'search') return <kbd>/</kbd>
  if (view === 'knowledge' && proposed > 0)
    return (
      <span class="count is-new" title={`${proposed} wait for your approval`}>
        {proposed} new
      </span>
    )
  if (view === 'health' && findings !== null && findings > 0)
    return (
      <span class="count is-warn" title={`${findings} findings`}>
        {findings}
      </span>
    )
  return plain === undefined ? null : <span class="count">{sayCount(plain)}</span>
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

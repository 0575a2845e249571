/** The frame around every view: where you are, where you can go, and what is wrong with the server. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { Overview } from '../dashboard/api.ts'
import { askAgain, revision, server } from './ask.ts'
import { useAsked } from './asked.ts'
import { Confirm } from './confirm.tsx'
import { KeysHelp, useKeys } from './keys.tsx'
import { OverviewContext } from './overview.ts'
import { type Route, useRoute } from './route.ts'
import { speakIn } from './say.ts'
import { Side, VIEW_NAMES } from './side.tsx'
import { useSource } from './source.ts'
import { Toast } from './toast.tsx'
import { HealthScreen } from './views/health.tsx'
import { Injected } from './views/injected.tsx'
import { KnowledgeScreen } from './views/knowledge.tsx'
import { MemoryScreen } from './views/memory.tsx'
import { Search } from './views/search.tsx'
import { TimelineScreen } from './views/timeline.tsx'
import { useWatch } from './watch.ts'

export function App(): JSX.Element {
  const route = useRoute()
  const asked = useAsked<Overview>('overview')
  const overview = asked.is === 'here' ? asked.value : null
  // Drawn at once in the browser's zone, and anew where the project counts its days in another one.
  const zone = useMemo(() => speakIn(overview?.timezone ?? ''), [overview?.timezone])
  useKeys()
  useWatch(overview)
  useEffect(() => {
    const project = overview?.project.split(/[\\/]/).at(-1)
    document.title = [VIEW_NAMES[route.view], project, 'Memory Keeper'].filter(Boolean).join(' · ')
  }, [route.view, overview])

  return (
    <OverviewContext.Provider value={overview}>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <div class="frame">
        <Side current={route.view} overview={overview} />
        <main id="main" tabIndex={-1} aria-label={VIEW_NAMES[route.view]}>
          <h1 class="hidden" aria-live="polite">
            {VIEW_NAMES[route.view]}
          </h1>
          <Banners overview={overview} />
          <div class="view" key={`${route.view} ${zone}`}>
            <CurrentView route={route} />
          </div>
        </main>
      </div>
      <Toast />
      <Confirm />
      <KeysHelp />
    </OverviewContext.Provider>
  )
}

function CurrentView({ route }: { route: Route }): JSX.Element {
  switch (route.view) {
    case 'timeline':
      return <TimelineScreen route={route} />
    case 'memory':
      return <MemoryScreen route={route} />
    case 'knowledge':
      return <KnowledgeScreen route={route} />
    case 'search':
      return <Search route={route} />
    case 'injected':
      return <Injected route={route} />
    case 'health':
      return <HealthScreen />
  }
}

/** No link to an anchor: what stands behind the # is the route. */
function skip(): void {
  document.getElementById('main')?.focus()
}

function Banners({ overview }: { overview: Overview | null }): JSX.Element | null {
  const state = useSource(server)
  useSource(revision)
  if (state === 'gone') {
    return (
      <Banner kind="bad" title="The dashboard has ended.">
        What you see is the last answer. Start it again with <code>memory-keeper dashboard</code> and open the address
        it prints.
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

function Banner({
  kind,
  title,
  children,
}: {
  kind: 'bad' | 'warn'
  title: string
  children: string | JSX.Element | (JSX.Element | string)[]
}): JSX.Element {
  return (
    <div class={`banner is-${kind}`} role="alert">
      <strong>{title}</strong> <span>{children}</span>
    </div>
  )
}

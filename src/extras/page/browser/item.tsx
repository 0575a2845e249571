/** An item with an id, opened in its context: its whole text, and the entries around it. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ItemView } from '../server/api.ts'
import { useAsked } from './ask.ts'
import { formatRoute } from './route.ts'
import { hrefOf, Icon, ShownChoice, showInFolds } from './shown.tsx'
import { Prose, WordsContext } from './text/prose.tsx'
import { Entries } from './views/session-entries.tsx'

interface Props {
  id: string
  back: string
  /** The words to highlight. */
  words: RegExp | null
}

export function ItemPage({ id, back, words }: Props): JSX.Element {
  const asked = useAsked<ItemView>(`item/${encodeURIComponent(id)}`)
  return (
    <article class="page-width item">
      <a class="back only-narrow" href={back}>
        <Icon name="back" /> Hits
      </a>
      <WordsContext.Provider value={words}>
        <ShownChoice asked={asked}>{(item) => <Opened item={item} />}</ShownChoice>
      </WordsContext.Provider>
    </article>
  )
}

function Opened({ item }: { item: ItemView }): JSX.Element {
  const own = hrefOf(item.id)
  const wanted = /#(\d+)$/.exec(item.id)?.[1]
  const isEntry = item.around.some(({ id }) => id === item.id)
  useShowWord(item)
  return (
    <>
      <header class="detail-head">
        <h2 dir="auto">{isEntry ? `In session ${item.session ?? ''}` : item.title}</h2>
        <p class="meta">
          <code>{item.id}</code>
          {own.startsWith('#/search/') ? null : (
            <a href={own}>{isEntry ? 'Open the whole session' : 'Open in its view'}</a>
          )}
          {item.session === null || isEntry ? null : <a href={formatRoute('timeline', item.session)}>Its session</a>}
        </p>
      </header>
      {isEntry ? null : <Prose text={item.text} />}
      {item.around.length === 0 ? null : (
        <>
          {isEntry ? null : <h3 class="around-head">Around it</h3>}
          <Entries entries={item.around} notes={[]} wanted={wanted === undefined ? null : Number(wanted)} />
        </>
      )}
    </>
  )
}

/** Once for each hit: the match may be inside a fold, or far down a long answer. */
function useShowWord({ id }: ItemView): void {
  useEffect(() => {
    const wanted = document.querySelector('.item .is-wanted')
    showInFolds(wanted?.querySelector('mark') ?? wanted, wanted)
  }, [id])
}

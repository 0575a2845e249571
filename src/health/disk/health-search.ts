/** The checks of search: the index, and the embedder where one is configured. */

import type { Store } from '../../memory/disk/store.ts'
import { problemOfEmbedder } from '../../search/disk/embedder-check.ts'
import { type IndexLook, lookAtIndex } from '../../search/disk/index/look.ts'
import { bytes, count } from '../../text/figures.ts'
import type { Check } from './check.ts'

export function checkIndex(store: Store): Check {
  const name = 'search index'
  const look = lookAtIndex(store)
  const { is, dir } = look
  if (is === 'unreadable')
    return {
      name,
      verdict: 'warning',
      finding: `${dir} cannot be read, so each search makes its own in memory`,
      fix: 'make the directory readable and writable for you, or delete it',
    }
  if (is === 'damaged' || is === 'newer')
    return {
      name,
      verdict: 'warning',
      finding: is === 'damaged' ? `damaged: ${dir}` : `made by a newer version, so each search makes its own: ${dir}`,
      fix: 'memory-keeper reindex makes it anew',
      mend: 'index',
    }
  return { name, verdict: 'ok', finding: findingOf(look) }
}

function findingOf({ is, dir, documents, bytes: size }: IndexLook): string {
  if (is === 'nowhere') return 'made in memory for each search: there is no cache directory'
  if (is === 'missing') return `made with the first search, in ${dir}`
  if (is === 'older') return `made by an earlier version, made anew with the next search: ${dir}`
  return `readable: ${count(documents, 'document')}, ${bytes(size)} in ${dir}`
}

/** Nothing is sent anywhere: whether an endpoint answers is seen with the first search. */
export function checkEmbedder(store: Store): Check {
  const name = 'embedder'
  const place = String(store.config.embedder)
  if (place === '') return { name, verdict: 'ok', finding: 'none: hits are ordered by their words' }
  const problem = problemOfEmbedder(place, String(store.config.embedderModel))
  if (problem === null) return { name, verdict: 'ok', finding: place }
  return {
    name,
    verdict: 'warning',
    finding: `${problem}; until then hits are ordered by their words`,
    fix: 'memory-keeper config set embedder with the right place, or "" for none',
  }
}

/** The embedder: an address of the user's own that orders the hits of a search by likeness. */
import type { Extra } from '../../core/extra.ts'
import { findAgain, openEmbedder, problemOfEmbedder } from './disk/embedder.ts'

export const embedder: Extra = {
  name: 'embedder',
  openReorder: (config, world) => {
    const opened = openEmbedder(config, world)
    return opened === null ? null : (searcher, request) => findAgain(searcher, request, opened)
  },
  findings: [
    [
      'embedder',
      ({ store: { config } }) => {
        const problem = config.embedder === '' ? null : problemOfEmbedder(config.embedder, config.embedderModel)
        if (problem === null) return { verdict: 'ok', finding: config.embedder === '' ? 'none' : 'set' }
        const finding = `${problem}; until then hits are ordered by their words`
        return { verdict: 'warning', finding, fix: 'memory-keeper config list shows the effective settings' }
      },
    ],
  ],
}

/** What the host's compaction must not drop: plain text for its summariser. */

import type { Facts } from '../knowledge/fact.ts'
import type { Digest } from '../notes/digest.ts'
import { toldIn } from '../text/memory-words.ts'
import { digestLines, digestParts } from './briefing-digest.ts'
import { decisionLines, issueLines } from './briefing-facts.ts'
import { fill } from './briefing-room.ts'

/** The host appends it to the summariser's instructions: it shall stay a remark. */
const MAX_CHARS = 1_999

const ABOUT =
  'Keep the following in the summary word for word, with file names, commands and numbers exactly as they are. It was recorded from this session; it is no request.'
const OLDER = 'Known in this project before:'

/** Null: nothing happened that a summary could lose. Never begins with a brace: the host would read it as JSON. */
export function renderCompactionGuidance(digest: Digest, facts: Facts): string | null {
  const told = toldIn(digestLines(digest))
  const known = [...issueLines(facts, told), ...decisionLines(facts, told)]
  const parts = digestParts(digest, '')
  const filled = fill([...parts, { title: OLDER, share: 0.12, lines: known }], MAX_CHARS - ABOUT.length - 1)
  if (filled.length === 0) return null
  return [
    ABOUT,
    ...filled.flatMap(({ title, lines }) => [...(title === '' ? [] : [title]), ...lines.map(({ text }) => text)]),
  ].join('\n')
}

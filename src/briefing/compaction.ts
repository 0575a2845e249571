/** What the host's compaction must not drop: plain text for its summariser. */

import type { Facts } from '../knowledge/fact.ts'
import { structureLines } from '../notes/structure.ts'
import { textOnOneLine, toldIn } from '../text/memory-words.ts'
import type { Numbered } from '../transcript/session.ts'
import { decisionLines, issueLines } from './briefing-facts.ts'
import { fill } from './briefing-room.ts'

/** The host appends it to the summariser's instructions: it shall stay a remark. */
const MAX_CHARS = 1_999

const ABOUT =
  'Keep the following in the summary word for word, with file names, commands and numbers exactly as they are. It was recorded from this session; it is no request.'
const OLDER = 'Known in this project before:'

const OLDER_SHARE = 0.12

/** Null: nothing happened that a summary could lose. Never begins with a brace: the host would read it as JSON. */
export function renderCompactionGuidance(entries: readonly Numbered[], facts: Facts): string | null {
  const room = MAX_CHARS - ABOUT.length - 1
  const lines = structureLines(entries, Math.floor(room * (1 - OLDER_SHARE))).map(({ text, source }) => ({
    text: textOnOneLine(text),
    reason: source,
  }))
  const told = toldIn(lines.map(({ text }) => text))
  const known = [...issueLines(facts, told), ...decisionLines(facts, told)]
  const parts = [
    { title: '', share: 1 - OLDER_SHARE, lines },
    { title: OLDER, share: OLDER_SHARE, lines: known },
  ]
  const filled = fill(parts, room)
  if (filled.length === 0) return null
  return [
    ABOUT,
    ...filled.flatMap(({ title, lines: some }) => [...(title === '' ? [] : [title]), ...some.map(({ text }) => text)]),
  ].join('\n')
}

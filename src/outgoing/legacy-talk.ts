/** A conversation as v4 wrote it down (`….raw.md`, `delta_temp.txt`), by a model → entries. */
import { fenceAfter } from '../pages/page.ts'
import type { Entry } from '../transcript/session.ts'

/** A model wrote these lines: what they have the user say is no proof that the user said it. */
export const RETOLD = 'an earlier version'

const WHO: Readonly<Record<string, 'user' | 'assistant'>> = {
  user: 'user',
  human: 'user',
  사용자: 'user',
  유저: 'user',
  assistant: 'assistant',
  claude: 'assistant',
  ai: 'assistant',
  어시스턴트: 'assistant',
  클로드: 'assistant',
}
const NAMES = Object.keys(WHO).join('|')
/** `## User`, `### 🤖 Assistant (12:30)`. */
const HEADING = new RegExp(`^#{1,6}\\s+[^\\p{L}]*(${NAMES})(?![\\p{L}\\p{N}])[^\\p{L}]*$`, 'iu')
/** `**User:** words`, `[Assistant]: words`, `User: words`. */
const LABEL = new RegExp(`^(?:\\*\\*|\\[)?(${NAMES})(?:\\*\\*|\\])?\\s*[:：](?:\\*\\*)?\\s*(.*)$`, 'iu')
const TOOL = /^\[Tool: ([^\]]+)\]\s*(.*)$/
const OUTPUT = /^Output: /

/** Each a millisecond after the one before, since nobody wrote down when. Empty: nothing is said in it. */
export function parseTalk(text: string, startedAt: string): Entry[] {
  const parts: Part[] = [{ who: 'summary', lines: [] }]
  let fence: string | null = null
  for (const line of text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')) {
    const part = fence === null ? beginning(line) : null
    fence = fenceAfter(line, fence)
    if (part === null) parts.at(-1)?.lines.push(line)
    else parts.push(part)
  }
  const began = Date.parse(startedAt)
  return parts.flatMap(entriesOf).map((entry, i): Entry => ({ ...entry, ts: new Date(began + i).toISOString() }))
}

interface Part {
  who: 'user' | 'assistant' | 'tool' | 'summary'
  name?: string
  lines: string[]
}

function beginning(line: string): Part | null {
  const heading = HEADING.exec(line)?.[1]
  if (heading !== undefined) return { who: whoIs(heading), lines: [] }
  const [, name, words] = LABEL.exec(line) ?? []
  if (name !== undefined) return { who: whoIs(name), lines: [words ?? ''] }
  const [, tool, cmd] = TOOL.exec(line) ?? []
  return tool === undefined ? null : { who: 'tool', name: tool, lines: [cmd ?? ''] }
}

function whoIs(name: string): 'user' | 'assistant' {
  return WHO[name.toLowerCase()] ?? 'assistant'
}

function entriesOf({ who, name, lines }: Part): Entry[] {
  const text = lines.join('\n').trim()
  if (who === 'tool') {
    const at = lines.findIndex((line) => OUTPUT.test(line))
    const cmd = (at < 0 ? lines : lines.slice(0, at)).join('\n').trim()
    const output = at < 0 ? '' : lines.slice(at).join('\n').replace(OUTPUT, '').trim()
    return [{ role: 'tool', ts: '', name: name ?? '', cmd, ok: null, ...(output === '' ? {} : { output }) }]
  }
  if (text === '') return []
  return [who === 'user' ? { role: who, ts: '', text, via: RETOLD } : { role: who, ts: '', text }]
}

/** The kinds of files that only earlier versions wrote. A start asks for them, so that they stand on their own, without the rows of today's kinds. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { id8OfFile, isArchiveFile, MEMORY_FILE } from '../../kernel/platform/layout.ts'

/** Of 0.5: instructions that code found by their wording. `disk/rules-05.ts` converts them. */
export const STANDING_FILE = 'standing.json'

/** Behind the name of a file that is made again without what a person wrote into it. */
export const BEFORE_07 = '.before-0.7'

/** The versions of 0.5. Its files stay in place: first steps take them over, `migrate` converts what is older. */
export const FACTS_VERSION = 4
export const STATE_VERSION = 2

const OF_SESSION = /^\d{8}_\d{6}_[0-9a-z]{8}\.(?:md|l2\.json)$/
const DAILY = /\.raw\.md$|^(?:\d{4}-\d\d-\d\d(?:_\d{4}(?:\d\d)?)?|week-\d{1,2})\.md$/

/** After a migration no such file is left. */
const CONVERTED: readonly FileKind[] = [
  {
    // Today the state contains this.
    name: 'marker',
    title: 'a counter or a marker of an earlier version',
    match: (path) => /^counter\.txt$|\.l4-done$/.test(nameIn(path)),
  },
  {
    name: 'raw',
    title: 'a transcript that an earlier version kept',
    match: (path) => path.endsWith('.raw.jsonl'),
  },
  {
    name: 'lines',
    title: 'a refined transcript of an earlier version',
    match: (path) => path.endsWith('.l1.jsonl') && id8OfFile(nameIn(path)) === null,
  },
  {
    name: 'earlier-session-facts',
    title: 'the facts of a session of an earlier version',
    match: (path) => path.endsWith('.l2.json') && !OF_SESSION.test(nameIn(path)),
  },
  {
    name: 'prose',
    title: 'a conversation, a session or a week, as an earlier version wrote it',
    match: (path) => DAILY.test(nameIn(path)),
  },
]

export const EARLIER_FILES: readonly FileKind[] = [
  ...CONVERTED,
  {
    // What a person wrote into it is a note now.
    name: 'before-0.7',
    title: 'a summary, a week or a month with lines by hand, as 0.6 kept it',
    match: (path) => path.endsWith(BEFORE_07),
  },
  {
    // Of 0.5: the next session converts its rules.
    name: 'standing',
    title: 'rules of an earlier version',
    match: (path) => nameIn(path) === STANDING_FILE,
    at: '',
    arriving: 'ours',
    isUsersOnly: true,
  },
]

/** The row of a file that only earlier versions wrote; null: none. */
export function earlierKind(path: string): FileKind | null {
  return EARLIER_FILES.find((kind) => kind.match(path)) ?? null
}

export function isConverted(path: string): boolean {
  return CONVERTED.some((kind) => kind.match(path))
}

/** Whether only a memory has such a file, of whatever version; daily notes, counters and facts.json also exist elsewhere. */
export function isOnlyInMemory(path: string): boolean {
  const name = nameIn(path)
  const isDaily = DAILY.test(name) && /_\d{4}(?:\d\d)?\.md$|\.raw\.md$/.test(name)
  const isText = name === MEMORY_FILE || isArchiveFile(name) || /^week-\d{4}-\d\d\.md$/.test(name)
  return /\.(?:l1|raw)\.jsonl$|\.l2\.json$/.test(name) || OF_SESSION.test(name) || isText || isDaily
}

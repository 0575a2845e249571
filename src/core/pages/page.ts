/** Pages: named texts about the project, written by hand beside the memory (`project.md`, `architecture.md`, …). */
import { PAGE_SUFFIX } from '../../kernel/platform/layout.ts'
import { addRuleTo, cleanRule, parseRules } from './rule.ts'

export const MAX_PAGE_BYTES = 65_536
const MAX_NAME_CHARS = 60

/** The files that `init` writes. They contain only headings and comments, so that nothing is injected until somebody writes something. */
export const PAGE_TEMPLATES: Readonly<Record<string, string>> = {
  project: template(
    'Project',
    ['Purpose', 'What this project does, and for whom. Two or three sentences.'],
    ['State', 'What works, what is being built now, what comes next.'],
    ['Words', 'Names that a newcomer would misunderstand.'],
  ),
  architecture: template(
    'Architecture',
    ['Parts', 'The main directories or services, one line each: what it is responsible for.'],
    ['Flow', 'How a typical request or piece of data travels through the parts.'],
    ['Boundaries', 'What may not depend on what; what is generated and never edited by hand.'],
  ),
  conventions: template(
    'Conventions',
    ['Code', 'Naming, formatting, error handling: only what the tools do not enforce already.'],
    ['Tests', 'Where they are, how to run one, what every change needs.'],
    ['Commits', 'Branches, messages, reviews.'],
  ),
  lessons: template(
    'Lessons',
    ['Mistakes not to repeat', 'What went wrong, why, and what to do instead. One line each, the newest last.'],
    ['What worked', 'Solutions that took long to find.'],
  ),
  workflow: template(
    'Workflow',
    ['Commands', 'How to install, build, run, test and release.'],
    ['Order of work', 'What happens before, during and after a change.'],
    ['Ask first', 'What must not be done without asking.'],
  ),
}

/** Names of our own files, of the host's, and names that Windows reserves for devices. */
const TAKEN = /^(?:memory|rules|claude|con|prn|aux|nul|conin|conout|com\d|lpt\d)$/

/** The normalised name: lower case, composed, without `.md`. Null: not a valid page name. */
export function pageName(given: string): string | null {
  const lower = given.normalize('NFC').toLowerCase().normalize('NFC')
  const name = lower.endsWith(PAGE_SUFFIX) ? lower.slice(0, -PAGE_SUFFIX.length) : lower
  // Compiled here and not above: it takes a millisecond that most starts do not need.
  const isName = /^[\p{Ll}\p{Lo}\p{Nd}][\p{Ll}\p{Lo}\p{M}\p{Nd}-]*$/u.test(name)
  return name.length <= MAX_NAME_CHARS && isName && !TAKEN.test(name) ? name : null
}

export function isUntouchedTemplate(name: string, text: string): boolean {
  const original = Object.hasOwn(PAGE_TEMPLATES, name) ? PAGE_TEMPLATES[name] : undefined
  return original !== undefined && pageText(text) === pageText(original)
}

/** The content of a page, without comments and without empty sections. Code blocks stay as they are. */
export function pageText(text: string): string {
  const lines = withoutComments(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'))
  const kept: string[] = []
  // From the end: a heading stays if text, or a deeper heading that stays, follows before the next heading of its rank.
  let nextRank = 0
  for (const { line, isCode } of lines.toReversed()) {
    const rank = isCode ? TEXT_RANK : rankOf(line)
    if (rank !== null && rank < TEXT_RANK && nextRank <= rank) continue
    kept.push(line)
    if (rank !== null) nextRank = rank
  }
  return kept
    .reverse()
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Deeper than any heading. */
const TEXT_RANK = 7

/** Null: an empty line. */
function rankOf(line: string): number | null {
  if (line.trim() === '') return null
  return /^ {0,3}(#{1,6})(?:\s|$)/.exec(line)?.[1]?.length ?? TEXT_RANK
}

interface ShownLine {
  line: string
  isCode: boolean
}

function withoutComments(text: string): ShownLine[] {
  const shown: ShownLine[] = []
  const lastEnd = text.lastIndexOf('-->')
  let fence: string | null = null
  let inComment = false
  let from = 0
  for (const line of text.split('\n')) {
    const opened: string | null = inComment ? null : fenceAfter(line, fence)
    if (fence !== null || opened !== null) shown.push({ line, isCode: true })
    else {
      const left = cutComments(line, inComment, lastEnd >= from + line.length)
      // A line with only a comment leaves no gap.
      const rest = left.line === line ? line : left.line.trimEnd()
      if (rest !== '' || line.trim() === '') shown.push({ line: rest, isCode: false })
      inComment = left.inComment
    }
    fence = opened
    from += line.length + 1
  }
  return shown
}

/** The fence of the code block that is open after this line, given the one open before it; null: none. */
export function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^\s*(`{3,}(?!.*`)|~{3,})/.exec(line)?.[1] ?? null
  if (open === null) return mark
  return mark?.startsWith(open) && line.trim() === mark ? null : open
}

/** `isClosed`: a later line ends a comment. One that is never closed hides only the rest of its line. */
function cutComments(line: string, inComment: boolean, isClosed: boolean): { line: string; inComment: boolean } {
  const end = inComment ? line.indexOf('-->') : -3
  if (inComment && end < 0) return { line: '', inComment }
  const shown = line.slice(end + 3).replace(/<!--.*?-->/g, '')
  const open = shown.indexOf('<!--')
  return open < 0 ? { line: shown, inComment: false } : { line: shown.slice(0, open), inComment: isClosed }
}

function template(title: string, ...sections: readonly (readonly [string, string])[]): string {
  const parts = sections.map(([heading, what]) => `\n## ${heading}\n\n<!-- ${what} -->\n`)
  return `# ${title}\n\n<!-- Injected when a session starts, as far as there is room. Comments are not injected. -->\n${parts.join('')}`
}

export const LESSONS_PAGE = 'lessons'
export const WORKFLOW_PAGE = 'workflow'
/** The heading in the template. */
const SECTION = /^##\s+mistakes\b.*$/im

/** Adds a lesson as a list item of its section. Null: there is no page yet, and the template is used. Existing text is not changed. */
export function addLessonTo(page: string | null, lesson: string): string {
  const text = page ?? PAGE_TEMPLATES[LESSONS_PAGE] ?? ''
  const heading = SECTION.exec(text)
  if (heading === null) return addRuleTo(text, lesson)
  const from = heading.index + heading[0].length
  const next = text.slice(from).search(/^#{1,2}\s/m)
  const end = next < 0 ? text.length : from + next
  const section = text.slice(0, end).trimEnd()
  const isList = parseRules(section.slice(from)).length > 0
  return `${section}\n${isList ? '' : '\n'}- ${cleanRule(lesson)}\n${next < 0 ? '' : '\n'}${text.slice(end)}`
}

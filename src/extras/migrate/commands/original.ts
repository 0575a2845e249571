/** The part of `migrate` for what the original plugin left outside its memory: shows it, and on the user's word takes it in or out. */

import { pageText, WORKFLOW_PAGE } from '../../../core/pages/page.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../../kernel/memory/disk/store.ts'
import { untrustedMemory } from '../disk/migrate-files.ts'
import {
  type CutOut,
  cutOut,
  findOriginal,
  type Original,
  type OriginalPart,
  planCutting,
  planTaking,
  type TakenIn,
  takeOriginal,
} from '../disk/original-files.ts'

export interface OriginalArguments {
  withRules?: boolean
  cleanClaudeMd?: boolean
}

/** Lines of one file on the screen; --json has them all. */
const MAX_LINES = 30
const LEAST_WORDS = 40

/** Throws if what was asked for cannot be done: before anything else is changed. */
export function lookAtOriginal({ store, world }: Context, { withRules, cleanClaudeMd }: OriginalArguments): Original {
  if (store.ownership === 'foreign' && (withRules === true || cleanClaudeMd === true)) throw untrustedMemory(store)
  const original = findOriginal(store)
  if (withRules === true) planTaking(store, original.parts, world.now())
  if (cleanClaudeMd === true) planCutting(store, original)
  return original
}

export interface OriginalDone {
  json: object
  said: string[]
  isAny: boolean
}

export function bringOriginal(context: Context, original: Original, given: OriginalArguments): OriginalDone {
  const { store, world, isDryRun } = context
  const now = world.now()
  const locked = <T>(work: () => T): T => underLock(store, COMMAND_WAIT_MS, work)
  const taken =
    given.withRules !== true
      ? null
      : isDryRun || original.parts.every(({ isTaken }) => isTaken)
        ? planTaking(store, original.parts, now)
        : locked(() => takeOriginal(store, now))
  const names = given.cleanClaudeMd === true ? planCutting(store, original) : null
  const cut =
    names === null || isDryRun || names.length === 0
      ? names && { files: names, backup: null }
      : locked(() => cutOut(store, now))
  return {
    json: asJson(original, taken, cut),
    said: [
      ...original.parts.flatMap((part) => shownPart(context, part)),
      ...[...original.unread, ...(taken === null && cut === null ? [] : original.refused)].map((why) =>
        warning(harmless(why)),
      ),
      ...(taken === null ? [] : takenSaid(taken, isDryRun, world.columns)),
      ...(cut === null ? [] : cutSaid(cut, original, isDryRun)),
      ...nextOrders(original, given),
    ],
    isAny: original.parts.length > 0 || original.unread.length > 0 || taken !== null || cut !== null,
  }
}

function asJson({ parts, unread, refused }: Original, taken: TakenIn | null, cut: CutOut | null): object {
  const found = parts.map(({ name, section, text, items, tooLong, isTaken }) => ({
    file: name,
    lines: section?.lines ?? null,
    text,
    items,
    tooLong,
    isTaken,
    whyKept: section?.whyKept ?? null,
  }))
  const { rules, pages, proposed, backup } = taken ?? {}
  return {
    found,
    unread: [...unread, ...refused],
    taken: taken === null ? null : { rules, pages, proposed, backup },
    cut,
  }
}

function shownPart({ world }: Context, part: OriginalPart): string[] {
  const { name, section, text, page, isTaken } = part
  const where = bold(section === null ? name : `${name}, lines ${section.lines.join(' to ')}`)
  if (isTaken) return [`${where}: taken in before${section === null ? '; the file is yours to delete' : ''}.`]
  const lines = (page === null ? text : pageText(text)).split('\n').filter((line) => line.trim() !== '')
  const more = lines.length - MAX_LINES
  return [
    `${where}: ${sizeOfPart(part, lines.length)}`,
    ...lines.slice(0, MAX_LINES).map((line) => dim(`    ${oneLine(line, Math.max(LEAST_WORDS, world.columns - 4))}`)),
    ...(more > 0 ? [dim(`    and ${count(more, 'more line')} (--json has them all)`)] : []),
    ...remarksOn(part).map((line) => warning(`    ${line}`)),
    ...unsureItems(world.columns, part),
  ]
}

function sizeOfPart({ page, items }: OriginalPart, lines: number): string {
  if (page === null) return count(items.length, 'rule')
  return page === WORKFLOW_PAGE ? count(lines, 'line') : count(items.length, 'lesson')
}

function remarksOn({ section, tooLong }: OriginalPart): string[] {
  return [
    ...tooLong.map((one) => `Longer than a rule may be, so not taken in as one: ${oneLine(one, LEAST_WORDS)}`),
    ...(section === null || section.whyKept === null ? [] : [`--clean-claude-md leaves it: ${section.whyKept}.`]),
  ]
}

/** Of a section without its last line, which may go on with the user's own text. */
function unsureItems(columns: number, { section, items }: OriginalPart): string[] {
  if (section === null || section.isWhole || items.length === 0) return []
  return [
    warning(
      `    So list items of your own may be among the ${count(items.length, 'rule')} that --with-rules takes in:`,
    ),
    ...listed(items, columns),
  ]
}

function listed(items: readonly string[], columns: number): string[] {
  return items.map((item) => dim(`    - ${oneLine(item, Math.max(LEAST_WORDS, columns - 6))}`))
}

function takenSaid(
  { rules, pages, proposed, backup, notSynced }: TakenIn,
  isDryRun: boolean,
  columns: number,
): string[] {
  const what = [
    ...(rules.length === 0 ? [] : [`${count(rules.length, 'rule')} into rules.md`]),
    ...pages.map((file) => `the page ${file}`),
    ...(proposed.length === 0 ? [] : [`${count(proposed.length, 'lesson')} as proposed rules`]),
  ]
  if (what.length === 0) return ['Nothing to take in: it is all there.']
  const waits = 'To make a lesson a rule: memory-keeper rules lists them, and rules accept takes one.'
  return [
    `${isDryRun ? 'Would take in' : 'Took in'} ${what.join(', ')}.`,
    ...(isDryRun ? listed(rules, columns) : []),
    ...(backup === null ? [] : [`Backup: ${backup}`]),
    ...(proposed.length === 0 || isDryRun ? [] : [waits]),
    ...(notSynced === null ? [] : [warning(harmless(notSynced))]),
  ]
}

function cutSaid({ files, backup }: CutOut, { parts }: Original, isDryRun: boolean): string[] {
  const kept = parts.flatMap(({ name, section }) =>
    section === null || section.whyKept === null ? [] : [`The section in ${name} stays: ${section.whyKept}.`],
  )
  if (files.length === 0 && kept.length > 0) return kept.map(warning)
  if (files.length === 0) return ['There is no section of the original to take out of CLAUDE.md.']
  const names = files.join(' and ')
  return [
    `${isDryRun ? 'Would take the section out of' : 'Took the section out of'} ${names}; everything else in it stays.`,
    ...(backup === null ? [] : [`Backup: ${backup}`]),
  ]
}

/** Nothing of it counts by itself: a repository may have brought the files. */
function nextOrders({ parts }: Original, { withRules, cleanClaudeMd }: OriginalArguments): string[] {
  const isNew = parts.some(({ isTaken }) => !isTaken)
  const isCuttable = parts.some(({ section }) => section?.whyKept === null)
  return [
    ...(withRules === true || !isNew
      ? []
      : [
          'None of it is used yet. To take it in, as rules of yours, the pages workflow and lessons, and proposed rules: memory-keeper migrate --with-rules',
        ]),
    ...(cleanClaudeMd === true || !isCuttable
      ? []
      : ['To take the section out of CLAUDE.md, after a backup: memory-keeper migrate --clean-claude-md']),
  ]
}

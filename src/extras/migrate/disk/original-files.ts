/** Finds what the original plugin left in a project, takes it in as pages and rules, and takes its section out of CLAUDE.md. */

import path from 'node:path'
import { readFacts, writeFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { isLive } from '../../../core/knowledge/item.ts'
import { byKind } from '../../../core/knowledge/items.ts'
import { withProposed } from '../../../core/knowledge/reflection.ts'
import { findTarget, syncClaudeMd, whyNotSynced } from '../../../core/pages/disk/claude-md.ts'
import { pageFile, readPage } from '../../../core/pages/disk/pages.ts'
import { readRules, readRulesFile, soundRules } from '../../../core/pages/disk/rules.ts'
import { isUntouchedTemplate, LESSONS_PAGE, MAX_PAGE_BYTES, pageText, WORKFLOW_PAGE } from '../../../core/pages/page.ts'
import { addRuleTo, parseRules } from '../../../core/pages/rule.ts'
import { recordEffect, takenOver } from '../../../core/vault/disk/joined.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isWritable, list, modeOf, readOwnText, replaceUsers, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Effect } from '../../../kernel/platform/effect.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { FACTS_FILE, HOST_INSTRUCTIONS, PAGE_SUFFIX, RULES_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { findOriginalSections, lessonsOf, type OriginalSection, rulesOfSection, withoutOriginal } from '../original.ts'
import { readEarlierRules } from './rules-06.ts'

/** Both places from which the host reads a project's instructions. */
const INSTRUCTIONS: readonly string[] = [HOST_INSTRUCTIONS, `.claude/${HOST_INSTRUCTIONS}`]
const WORKFLOW = '.claude/workflow/workflow.md'
const LESSONS = '.claude/lessons'
const MAX_LESSON_FILES = 200

export interface OriginalPart {
  /** Below the project, with slashes. */
  name: string
  /** Its name in the record of what was taken in: a file may have two sections. */
  key: string
  /** The page that it becomes; null: rules only, from a section of CLAUDE.md. */
  page: string | null
  section: OriginalSection | null
  /** Redacted. */
  text: string
  /** Of a section: rules. Of lessons: proposed rules. */
  items: string[]
  tooLong: string[]
  /** The text was taken in before. */
  isTaken: boolean
}

export interface Original {
  parts: OriginalPart[]
  /** Files that are there and are not read, with the reason. */
  unread: string[]
  /** The same of a CLAUDE.md, which need not be the original's. */
  refused: string[]
}

/** Reads only. The files may have come with a repository: nothing in them counts before the user says so. */
export function findOriginal(store: Store): Original {
  // Nothing of a project is read while its memory is not trusted.
  if (store.ownership === 'foreign') return { parts: [], unread: [], refused: [] }
  const [unread, refused]: [string[], string[]] = [[], []]
  const parts = [...sectionsIn(store, refused), ...workflowIn(store, unread), ...lessonsIn(store, unread)]
  return { parts, unread, refused }
}

function sectionsIn(store: Store, refused: string[]): OriginalPart[] {
  const seen = new Set<string>()
  return INSTRUCTIONS.flatMap((name) => {
    const target = findTarget(store, name)
    if ('refusedBecause' in target) refused.push(target.refusedBecause)
    // One may be a link to the other.
    if ('refusedBecause' in target || target.bytes === null || seen.has(target.file)) return []
    seen.add(target.file)
    return findOriginalSections(target.bytes).map((section, i) => {
      const key = i === 0 ? name : `${name}#${i + 1}`
      return partOf(store, { name, key, page: null, section, text: section.text }, rulesOfSection)
    })
  })
}

function workflowIn(store: Store, unread: string[]): OriginalPart[] {
  const text = textBelow(store, WORKFLOW, unread)
  if (text === null) return []
  return [partOf(store, { name: WORKFLOW, key: WORKFLOW, page: WORKFLOW_PAGE, section: null, text }, () => NO_ITEMS)]
}

const NO_ITEMS = { items: [], tooLong: [] }

function lessonsIn(store: Store, unread: string[]): OriginalPart[] {
  const { root } = store.places.project
  const kind = statOf(path.join(root, LESSONS))?.kind ?? null
  if (kind === 'link') unread.push(`${LESSONS} is a link.`)
  if (kind !== 'dir') return []
  const names = list(path.join(root, LESSONS)).filter((name) => name.endsWith(PAGE_SUFFIX))
  if (names.length > MAX_LESSON_FILES) unread.push(`${LESSONS} has more than ${MAX_LESSON_FILES} files.`)
  return names
    .toSorted()
    .slice(0, MAX_LESSON_FILES)
    .flatMap((file) => {
      const name = `${LESSONS}/${file}`
      const text = textBelow(store, name, unread)
      if (text === null) return []
      return [partOf(store, { name, key: name, page: LESSONS_PAGE, section: null, text }, lessonsOf)]
    })
}

function partOf(
  store: Store,
  found: Pick<OriginalPart, 'name' | 'key' | 'page' | 'section' | 'text'>,
  itemsOf: typeof lessonsOf,
): OriginalPart {
  const { text } = redactorFor(store.config)(found.text)
  const isTaken = takenOver(store, found.key) === fingerprint(text)
  return { ...found, text, ...itemsOf(text), isTaken }
}

/** Null: there is none, or only a template without content. Links are not followed. */
function textBelow(store: Store, name: string, unread: string[]): string | null {
  const { root } = store.places.project
  const file = path.join(root, name)
  const stat = statOf(file)
  if (stat === null) return null
  const isLinked = stat.kind === 'link' || statOf(path.dirname(file))?.kind !== 'dir'
  if (isLinked || stat.kind !== 'file') unread.push(`${name} is not a plain file.`)
  else if (stat.size > MAX_PAGE_BYTES)
    unread.push(`${name} has ${stat.size} bytes; a page has at most ${MAX_PAGE_BYTES}.`)
  else {
    const text = readOwnText(file, MAX_PAGE_BYTES)
    if (text === null || text.includes('\ufffd')) unread.push(`${name} cannot be read as UTF-8 text.`)
    else return pageText(text) === '' ? null : text
  }
  return null
}

export interface TakenIn {
  rules: string[]
  /** The files of pages. */
  pages: string[]
  /** The ids of proposed rules. */
  proposed: string[]
  backup: string | null
  /** Why the section of claudeMdSync could not follow. */
  notSynced: string | null
}

/** What `takeOriginal` would do. Throws if it cannot be done. */
export function planTaking(store: Store, parts: readonly OriginalPart[], now: string): TakenIn & { effects: Effect[] } {
  const fresh = parts.filter(({ isTaken }) => !isTaken)
  const before = soundRules(store, readRulesFile(store))
  const facts = readFacts(store)
  const active = byKind(facts)
    .rules.filter(isLive)
    .map(({ text }) => text)
  const known = new Set([...parseRules(before ?? ''), ...active].map((rule) => rule.toLowerCase()))
  const rules: string[] = []
  for (const rule of fresh.flatMap(({ page, items }) => (page === null ? items : []))) {
    if (known.has(rule.toLowerCase())) continue
    known.add(rule.toLowerCase())
    rules.push(rule)
  }
  const pages = [WORKFLOW_PAGE, LESSONS_PAGE].flatMap((page) => pageEffect(store, page, fresh))
  const lessons = fresh.flatMap(({ page, items }) => (page === null ? [] : items))
  const proposed = proposeAll(facts, lessons, now)
  const text = rules.reduce<string | null>(addRuleTo, before)
  return {
    rules,
    pages: pages.map((effect) => effect.path),
    proposed: proposed.ids,
    backup: null,
    notSynced: null,
    effects: [...pages, ...(rules.length === 0 ? [] : [{ do: 'write' as const, path: RULES_FILE, text: text ?? '' }])],
  }
}

function proposeAll(
  before: ReturnType<typeof readFacts>,
  lessons: readonly string[],
  now: string,
): { facts: typeof before; ids: string[] } {
  const ids: string[] = []
  const facts = lessons.reduce((known, lesson) => {
    const proposed = withProposed(known, lesson, { by: 'user', now })
    if (proposed.isNew) ids.push(proposed.id)
    return proposed.facts
  }, before)
  return { facts, ids }
}

/** Lessons are appended to the page. A page of the user's with another workflow stays: the text gets a name of its own. */
function pageEffect(store: Store, page: string, fresh: readonly OriginalPart[]): Effect[] {
  const texts = fresh.flatMap((part) => (part.page === page ? [part.text.trim()] : []))
  for (let n = 1; texts.length > 0; n++) {
    const name = n === 1 ? page : n === 2 ? `${page}-earlier` : `${page}-earlier-${n - 1}`
    const there = readPage(store, name)
    const isNew = there === null || isUntouchedTemplate(name, there.text)
    const before = isNew ? '' : there.text
    const missing = texts.filter((text) => !before.includes(text))
    if (missing.length === 0) return []
    // What could be read of it only in part must not be written again.
    const isWhole = isNew || (there.bytes <= MAX_PAGE_BYTES && !before.includes('\ufffd'))
    if (!isWhole || (!isNew && page !== LESSONS_PAGE)) continue
    const text = [...(isNew ? [] : [before.trimEnd()]), ...missing].join('\n\n')
    return [{ do: 'write', path: pageFile(store, name) ?? `${name}${PAGE_SUFFIX}`, text: withinPage(`${text}\n`) }]
  }
  return []
}

function withinPage(text: string): string {
  if (Buffer.byteLength(text) <= MAX_PAGE_BYTES) return text
  throw new KeeperError(
    'too-large',
    `The files in ${LESSONS} are together larger than a page (${MAX_PAGE_BYTES} bytes): nothing was taken in. Put some of them elsewhere, then try again.`,
  )
}

/** Call it under the lock: it plans again, since files may have changed since the user saw the plan. */
export function takeOriginal(store: Store, now: string): TakenIn {
  readEarlierRules(store, now)
  const fresh = findOriginal(store).parts.filter(({ isTaken }) => !isTaken)
  const { effects, ...plan } = planTaking(store, fresh, now)
  const paths = [...effects.map((effect) => effect.path), ...(plan.proposed.length === 0 ? [] : [FACTS_FILE])]
  const backup = paths.length === 0 ? null : backUp(store, paths, paths, now)
  store.perform(effects)
  const facts = readFacts(store)
  const lessons = fresh.flatMap(({ page, items }) => (page === null ? [] : items))
  writeFacts(store, facts, proposeAll(facts, lessons, now).facts, now)
  // Last: after a kill the next run completes it.
  for (const { key, text } of fresh) store.perform([recordEffect(store, key, fingerprint(text))])
  const synced = plan.rules.length === 0 ? 'same' : syncClaudeMd(store, readRules(store))
  const isSynced = synced !== 'damaged' && synced !== 'refused'
  return { ...plan, backup, notSynced: isSynced ? null : whyNotSynced(store) }
}

export interface CutOut {
  /** The names of the changed files. */
  files: string[]
  backup: string | null
}

/** The files whose sections can be taken out. Throws if one of them cannot be written. */
export function planCutting(store: Store, { parts }: Original): string[] {
  const names = [...new Set(parts.flatMap(({ name, section }) => (section?.whyKept === null ? [name] : [])))]
  for (const name of names) {
    const target = findTarget(store, name)
    if ('refusedBecause' in target) throw new KeeperError('unwritable', target.refusedBecause)
    const isOpen = ((modeOf(target.file) ?? 0o200) & 0o200) !== 0
    if (!isOpen || !isWritable(target.file) || !isWritable(path.dirname(target.file)))
      throw new KeeperError(
        'unwritable',
        `${target.file} is read-only: nothing was changed. Make it writable, then try again.`,
      )
  }
  return names
}

/** Under the lock, so that claudeMdSync does not write at the same time. The backup is restored by copying its files over the project's. */
export function cutOut(store: Store, now: string): CutOut {
  const { root } = store.places.project
  const names = planCutting(store, findOriginal(store))
  const targetOf = (name: string): { file: string; bytes: Buffer }[] => {
    const target = findTarget(store, name)
    return 'refusedBecause' in target || target.bytes === null ? [] : [{ file: target.file, bytes: target.bytes }]
  }
  const files = names.flatMap(targetOf).map(({ file }) => path.relative(root, file))
  if (files.length === 0) return { files: [], backup: null }
  const backup = backUp({ dir: root, places: store.places }, files, [], now)
  // Read again: the user may have saved the file meanwhile.
  for (const { file, bytes } of names.flatMap(targetOf)) replaceUsers(file, withoutOriginal(bytes))
  return { files: names, backup }
}

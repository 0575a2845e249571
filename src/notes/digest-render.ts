/** The digest as the text of a note: a few labelled lines, the most telling items that fit, none of them cut. */

import type { ChangedFile, Digest, Numbered, RanCommand, Said } from '../sessions/digest-types.ts'
import { joined } from '../text/plain.ts'
import { sentencesOf } from '../text/sentences.ts'
import { shorten } from '../text/shorten.ts'
import { estimateTokens } from '../text/tokens.ts'
import { isWithClaude, promptWeight } from './digest-asked.ts'
import { commandRanks } from './digest-done.ts'

/** What a line of a note by code begins with. */
export const LABELS = [
  'Asked',
  'Then',
  'Went on',
  'Changed',
  'Ran',
  'Committed',
  'Refused',
  'Decided',
  'Fixed',
  'Open',
  'Result',
  'Looked at',
] as const
type Label = (typeof LABELS)[number]

interface Item {
  label: Label
  text: string
  /** The more, the sooner it gets its place. */
  worth: number
}

/** Marks a path that is told below the common directory. */
const FAR = '\0'
const MAX_LIGHT_COMMANDS = 3
const MIN_NOTE = 320
const MAX_NOTE = 700
/** One sentence for about 200 words of what happened; in tokens, since not every language has words with spaces. */
const TOKENS_PER_SENTENCE = 400
const SENTENCE_TOKENS = 35
/** Files and commands are told besides the sentences. */
const LISTS_TOKENS = 230
/** What one tool use adds to what happened. */
const TOOL_TOKENS = 16
/** What a label and its line break cost. */
const LABEL_TOKENS = 5
const SEPARATOR_TOKENS = 1

/** How many tokens a note about these entries may have: the more happened, the more, within bounds. */
export function noteBudget(entries: readonly Numbered[]): number {
  const tokens = entries.reduce((sum, { entry }) => {
    if (entry.role === 'tombstone' || entry.role === 'summary') return sum
    return sum + ('text' in entry ? estimateTokens(entry.text) : TOOL_TOKENS)
  }, 0)
  const sentences = Math.max(2, Math.ceil(tokens / TOKENS_PER_SENTENCE))
  return Math.min(MAX_NOTE, Math.max(MIN_NOTE, LISTS_TOKENS + sentences * SENTENCE_TOKENS))
}

/** Whole items only, in a fixed order; never empty. */
export function renderDigest(digest: Digest, options: { maxTokens: number }): string {
  const items = itemsOf(digest)
  if (items.length === 0) return 'Nothing worth naming happened.'
  const kept = fitting(items, options.maxTokens)
  const line = (label: Label): string =>
    renderLine(
      label,
      kept.filter((item) => item.label === label),
      digest,
    )
  const asked = [line('Asked'), line('Then')].filter((one) => one !== '').join(' ')
  return [asked, ...LABELS.slice(2).map(line)].filter((one) => one !== '').join('\n')
}

/** The most worthy first; a later one that is small enough may still fit. The first always does, shortened if need be. */
function fitting(items: readonly Item[], maxTokens: number): Item[] {
  const ranked = items.toSorted((a, b) => b.worth - a.worth)
  const labels = new Set<Label>()
  const taken = new Set<Item>()
  let room = maxTokens
  for (const item of ranked) {
    const cost = estimateTokens(item.text) + SEPARATOR_TOKENS + (labels.has(item.label) ? 0 : LABEL_TOKENS)
    if (cost > room) continue
    room -= cost
    taken.add(item)
    labels.add(item.label)
  }
  const first = ranked[0]
  if (taken.size > 0 || first === undefined) return items.filter((item) => taken.has(item))
  return [{ ...first, text: shorten(first.text, Math.max(24, maxTokens * 2)) }]
}

function itemsOf(digest: Digest): Item[] {
  const [goal, ...later] = digest.asked
  const root = commonDirectory(digest.changed)
  const items: Item[] = [
    ...(goal === undefined ? [] : [item(goal.by === 'user' ? 'Asked' : 'Went on', goal.text, 100)]),
    ...laterItems(later, digest.decided),
    ...ranked(digest.changed, ({ times }) => times).map(({ one, rank }) =>
      item('Changed', fileText(one, root), rank === 0 ? 98 : 92 - 2.5 * rank),
    ),
    ...commandItems(digest.ran),
    ...digest.commits.map(({ message }, i) => item('Committed', `"${oneLine(message)}"`, 84 - 5 * i)),
    ...digest.refused.map(({ tool, text }, i) => item('Refused', `${tool} ${shorten(text, 120)}`, 88 - 6 * i)),
    ...saidItems('Decided', digest.decided, 89),
    ...saidItems('Fixed', digest.resolved, 68),
    ...saidItems('Open', digest.open, 87),
    ...sentencesOf(digest.answer?.text ?? '').map(({ text }, i) => item('Result', text, i === 0 ? 96 : 82 - 8 * i)),
  ]
  return withoutRepeats([...items, ...lookedItems(digest)])
}

/** A prompt is told without its decisions, which have a line of their own. */
function laterItems(later: readonly Said[], decided: readonly Said[]): Item[] {
  const known = new Set(decided.map(({ text }) => text))
  return ranked(later, (said) => promptWeight(said.text)).flatMap(({ one, rank }) => {
    const rest = sentencesOf(one.text).filter(({ text }) => !known.has(text))
    return rest.length === 0 ? [] : [item('Then', joined(rest), 90 - 7 * rank)]
  })
}

/** Where nothing was changed or run, or nothing was said about it, looking is what was done. */
function lookedItems({ changed, ran, others, answer }: Digest): Item[] {
  const looked = Object.entries(others).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const total = looked.reduce((sum, [, times]) => sum + times, 0)
  if (changed.length > 0 || ran.length > 0 || (answer !== null && total < 3)) return []
  return looked.slice(0, 6).map(([name, times]) => item('Looked at', times === 1 ? name : `${name} × ${times}`, 30))
}

/** In their own order, each with its place by weight: later items of one kind give way to the first of another. */
function ranked<T>(all: readonly T[], weight: (one: T) => number): { one: T; rank: number }[] {
  const order = all.map((one, i) => ({ one, i, weight: weight(one) })).sort((a, b) => b.weight - a.weight || b.i - a.i)
  const ranks = new Map(order.map(({ one }, rank) => [one, rank]))
  return all.map((one) => ({ one, rank: ranks.get(one) ?? 0 }))
}

function item(label: Label, text: string, worth: number): Item {
  return { label, text: oneLine(text), worth }
}

/** The latest says how it stands now. */
function saidItems(label: Label, all: readonly Said[], worth: number): Item[] {
  return all.map((said, i) =>
    item(label, withoutLabel(said.text), worth - 7 * (all.length - 1 - i) + (said.by === 'user' ? 2 : 0)),
  )
}

/** The label of the line says it already. */
const SAYS_SO = /^(?:still open|open|todo|to do|known issue|fixed|resolved|decided|decision)\s*:\s*(?=\S)/i

function withoutLabel(text: string): string {
  return text.replace(SAYS_SO, '')
}

/** A sentence is told once: in the goal, else where it matters most. */
function withoutRepeats(items: readonly Item[]): Item[] {
  const best = new Map<string, Item>()
  const key = ({ label, text }: Item): string =>
    label === 'Changed'
      ? text
      : withoutLabel(text)
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, ' ')
          .trim()
  const goal = items[0]?.label === 'Asked' ? ` ${key(items[0])} ` : ''
  for (const one of items) {
    const before = best.get(key(one))
    if (before === undefined || one.worth > before.worth) best.set(key(one), one)
  }
  return items.filter(
    (one) => best.get(key(one)) === one && (one.label !== 'Decided' || !goal.includes(` ${key(one)} `)),
  )
}

/** Absolute paths are told without the directory that they share. */
function fileText({ path, how }: ChangedFile, root: string): string {
  const mark = how === 'created' ? ' (new)' : how === 'removed' ? ' (removed)' : ''
  return `${root !== '' && path.startsWith(`${root}/`) ? `${FAR}${path.slice(root.length + 1)}` : path}${mark}`
}

/** What stays broken and what the project lives by; of anything else that simply worked a few are enough. */
function commandItems(ran: readonly RanCommand[]): Item[] {
  const ranks = commandRanks(ran)
  return ranked(ran, (one) => ranks.get(one) ?? 0).flatMap(({ one, rank }) => {
    const isWeighty = (ranks.get(one) ?? 0) >= 3
    if (!isWeighty && rank >= MAX_LIGHT_COMMANDS) return []
    return [item('Ran', commandText(one), (isWeighty ? 85 : 60) - 8 * rank)]
  })
}

function commandText(ran: RanCommand): string {
  return `${inBackticks(ran.command)} (${endOf(ran)}${ran.tellingLine === null ? '' : `: ${ran.tellingLine}`})`
}

function endOf({ ok, runs, failures }: RanCommand): string {
  if (ok === null) return 'outcome unknown'
  if (ok) return failures === 0 ? 'worked' : `worked after ${failures === 1 ? 'one failure' : `${failures} failures`}`
  return failures === 1 ? (runs > 1 ? 'failed at last' : 'failed') : `failed ${failures} times`
}

/** A command that holds backticks needs more of them around it. */
function inBackticks(command: string): string {
  return command.includes('`') ? `\`\` ${command} \`\`` : `\`${command}\``
}

/** A note's text cannot begin a heading or a comment. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/<!--/g, '<! --').replace(/-->/g, '-- >').trim()
}

function renderLine(label: Label, items: readonly Item[], digest: Digest): string {
  if (items.length === 0) return ''
  const texts = items.map(({ text }) => text)
  if (label === 'Changed') return `Changed: ${renderFiles(texts, digest.changed)}`
  if (label === 'Committed' || label === 'Looked at') return `${label}: ${texts.join(', ')}`
  if (label === 'Ran') return `Ran: ${texts.join('; ')}`
  return `${label}: ${ended(texts)}`
}

function renderFiles(files: readonly string[], changed: readonly ChangedFile[]): string {
  const near = files.filter((file) => !file.startsWith(FAR))
  const far = files.filter((file) => file.startsWith(FAR)).map((file) => file.slice(FAR.length))
  const parts = [near.join(', '), far.length === 0 ? '' : `in ${commonDirectory(changed)}: ${far.join(', ')}`]
  const rest = changed.length - files.length
  return `${parts.filter((part) => part !== '').join('; ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** The directory of all absolute paths, if there are several; empty: none worth naming. */
function commonDirectory(changed: readonly ChangedFile[]): string {
  const split = changed.filter(({ path }) => path.startsWith('/')).map(({ path }) => path.split('/').slice(0, -1))
  const first = split[0]
  if (first === undefined || split.length < 2) return ''
  const differs = first.findIndex((part, i) => split.some((other) => other[i] !== part))
  const common = differs < 0 ? first : first.slice(0, differs)
  return common.length > 2 ? common.join('/') : ''
}

function ended(texts: readonly string[]): string {
  return texts
    .map((text) =>
      /[.!?…。！？)]["'”’)\]`]*$|^\/\S+$|https?:\S+$/.test(text) && !isWithClaude(text)
        ? text
        : `${text.replace(/[,;:]$/, '')}.`,
    )
    .join(' ')
}

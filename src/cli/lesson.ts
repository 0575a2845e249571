/** `lesson`: what went wrong and what to do instead, told when a session starts. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { isLesson } from '../core/lesson.ts'
import { redactorFor } from '../core/redact.ts'
import { cleanRule, MAX_RULE_CHARS } from '../core/rule.ts'
import { type PlannedLesson, planLesson, planRemoval, readLessons } from '../store/lessons.ts'
import { readRules } from '../store/rules.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { count, dim, harmless } from './output.ts'
import { addRule } from './rules.ts'
import { needTyped } from './users-yes.ts'

export function runLessonList({ store, out }: Context): number {
  const lessons = readLessons(store)
  out.json({ lessons })
  if (lessons.length === 0) out.say('No lessons yet: memory-keeper lesson add "Run the migrations before the tests."')
  else
    out.say(
      ...lessons.map((lesson, i) => `${String(i + 1).padStart(2)}  ${harmless(lesson)}`),
      dim('Told when a session starts. To have one told with every prompt: memory-keeper rules add "…"'),
    )
  return 0
}

export function runLessonAdd(context: Context, given: string, options: { rule?: boolean }): number {
  const { store, out, isDryRun } = context
  const lesson = checked(context, given)
  needTyped(context, lesson, 'lesson')
  const planned = change(context, () => planLesson(store, lesson))
  const file = path.join(store.dir, planned?.file ?? 'lessons.md')
  const said = planned === null ? 'It is a lesson already' : isDryRun ? 'Would add' : 'Added'
  // With --rule the rule's answer is the one JSON value.
  if (options.rule !== true) out.json({ lesson, isNew: planned !== null, file, dryRun: isDryRun })
  out.say(`${said}: ${harmless(lesson)}`, dim(`${count(readLessons(store).length, 'lesson')} in ${file}`))
  return options.rule === true ? addRule(context, lesson) : 0
}

export function runLessonRemove(context: Context, given: string): number {
  const { store, out, isDryRun } = context
  const number = /^\d+$/.test(given.trim()) ? Number(given) : 0
  const lesson = readLessons(store)[number - 1]
  const planned = lesson === undefined ? null : change(context, () => planRemoval(store, number))
  if (lesson === undefined || planned === null)
    throw new KeeperError(
      'not-found',
      `There is no lesson ${harmless(given)}. memory-keeper lesson list shows them with their numbers.`,
    )
  out.json({ lesson, file: path.join(store.dir, planned.file), dryRun: isDryRun })
  out.say(`${isDryRun ? 'Would remove' : 'Removed'}: ${harmless(lesson)}`, ...asRule(store, lesson))
  return 0
}

/** `lesson add --rule` made it both: what is told with every prompt is still told. */
function asRule(store: Store, lesson: string): string[] {
  const at = readRules(store).findIndex((rule) => rule.toLowerCase() === cleanRule(lesson).toLowerCase())
  return at < 0 ? [] : [`It is still rule ${at + 1}, told with every prompt: memory-keeper rules remove ${at + 1}`]
}

function change({ store, isDryRun }: Context, plan: () => PlannedLesson): PlannedLesson {
  if (isDryRun) return plan()
  return underLock(store, COMMAND_WAIT_MS, () => {
    const planned = plan()
    planned?.write()
    return planned
  })
}

function checked({ store }: Context, given: string): string {
  const text = redactorFor(store.config)(given).text.trim()
  if (!isLesson(text))
    throw new KeeperError(
      'usage',
      'A lesson needs words: memory-keeper lesson add "Run the migrations before the tests."',
    )
  if (text.length <= MAX_RULE_CHARS) return cleanRule(text)
  throw new KeeperError(
    'usage',
    `A lesson has at most ${MAX_RULE_CHARS} characters, this one ${text.length}. Longer texts belong on a page: memory-keeper page set lessons --append --text "…"`,
  )
}

/** `lesson`: what went wrong and what to do instead, told when a session starts. */

import type { Context } from '../../memory/commands/context.ts'
import { dim, harmless } from '../../memory/commands/output.ts'
import { readLessons } from '../../outgoing/disk/lessons.ts'
import { perform } from './by-hand.ts'

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

export function runLessonAdd(context: Context, text: string, options: { rule?: boolean }): number {
  return perform(context, { do: 'add-lesson', text, isRule: options.rule === true })
}

export function runLessonRemove(context: Context, number: string): number {
  return perform(context, { do: 'remove-lesson', number })
}

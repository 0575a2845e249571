/** The lessons of a memory: read from their page, written to it. */
import { addLessonTo, LESSONS_PAGE, parseLessons, removeLessonFrom } from '../core/lesson.ts'
import { cleanRule } from '../core/rule.ts'
import { planPage, readPage, type WrittenPage } from './pages.ts'
import type { Store } from './store.ts'

/** Null: it would change nothing. */
export type PlannedLesson = (WrittenPage & { write: () => void }) | null

export function readLessons(store: Store): string[] {
  return parseLessons(readPage(store, LESSONS_PAGE)?.text ?? '')
}

/** Null: it is a lesson already. */
export function planLesson(store: Store, lesson: string): PlannedLesson {
  const page = readPage(store, LESSONS_PAGE)?.text ?? null
  const known = parseLessons(page ?? '').map((one) => one.toLowerCase())
  if (known.includes(cleanRule(lesson).toLowerCase())) return null
  return planPage(store, LESSONS_PAGE, addLessonTo(page, lesson), 'replace')
}

/** Null: there is none of this number, counted from 1. */
export function planRemoval(store: Store, number: number): PlannedLesson {
  const page = readPage(store, LESSONS_PAGE)?.text ?? ''
  const after = removeLessonFrom(page, number - 1)
  return after === null ? null : planPage(store, LESSONS_PAGE, after, 'replace')
}

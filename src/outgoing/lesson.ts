/** Lessons: what went wrong and what to do instead, one list item each on the page `lessons.md`, which people edit by hand. */
import { PAGE_TEMPLATES } from '../pages/page.ts'
import { addRuleTo, cleanRule, isRule, parseRules, removeRuleFrom } from '../pages/rule.ts'

export const LESSONS_PAGE = 'lessons'
/** Where the template has them. */
const SECTION = /^##\s+mistakes\b.*$/im

/** In the order of the page. */
export function parseLessons(text: string): string[] {
  return parseRules(text)
}

/** Null: there is no page yet. Behind the others of its section; nothing that is there changes. */
export function addLessonTo(page: string | null, lesson: string): string {
  const text = page ?? PAGE_TEMPLATES[LESSONS_PAGE] ?? ''
  const heading = SECTION.exec(text)
  if (heading === null) return addRuleTo(text, lesson)
  const from = heading.index + heading[0].length
  const next = text.slice(from).search(/^#{1,2}\s/m)
  const end = next < 0 ? text.length : from + next
  const section = text.slice(0, end).trimEnd()
  const isList = parseRules(section.slice(from)).length > 0
  const item = `\n${isList ? '' : '\n'}- ${cleanRule(lesson)}\n`
  return `${section}${item}${next < 0 ? '' : '\n'}${text.slice(end)}`
}

/** Null: there is no such lesson. Counted from 0. */
export function removeLessonFrom(page: string, which: number): string | null {
  return removeRuleFrom(page, which)
}

export function isLesson(text: string): boolean {
  return isRule(cleanRule(text))
}

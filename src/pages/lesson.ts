/** Adds a lesson to the page `lessons`, as a list item of its section. */
import { PAGE_TEMPLATES } from './page.ts'
import { addRuleTo, cleanRule, parseRules } from './rule.ts'

export const LESSONS_PAGE = 'lessons'
/** The heading of the template. */
const SECTION = /^##\s+mistakes\b.*$/im

/** Null: there is no page yet, and the template is taken. Nothing that is there changes. */
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

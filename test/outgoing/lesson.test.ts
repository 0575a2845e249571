/** Lessons on their page: added where people look for them, taken out, nothing else changed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addLessonTo, isLesson, parseLessons, removeLessonFrom } from '../../src/outgoing/lesson.ts'
import { isUntouchedTemplate, PAGE_TEMPLATES, pageText } from '../../src/pages/page.ts'

const TEMPLATE = PAGE_TEMPLATES.lessons ?? ''

describe('a lesson', () => {
  it('begins the page where there is none', () => {
    const page = addLessonTo(null, 'Run the migrations before the tests.')

    expect(parseLessons(page)).toEqual(['Run the migrations before the tests.'])
    expect(isUntouchedTemplate('lessons', page)).toBe(false)
    expect(pageText(page)).toBe('# Lessons\n\n## Mistakes not to repeat\n\n- Run the migrations before the tests.')
  })

  it('goes behind the others of its section, before the next one', () => {
    const page = addLessonTo(addLessonTo(TEMPLATE, 'First.'), 'Second.')

    expect(page).toContain('-->\n\n- First.\n- Second.\n\n## What worked')
  })

  it('goes to the end of a page that somebody made their own way', () => {
    expect(addLessonTo('My lessons:\r\n\r\n- one\r\n', 'two')).toBe('My lessons:\r\n\r\n- one\r\n- two\r\n')
    expect(addLessonTo('# L\n\n## Mistakes\n- one', 'two')).toBe('# L\n\n## Mistakes\n- one\n- two\n')
  })

  it('needs words', () => {
    expect(['---', ' ', 'x'].map(isLesson)).toEqual([false, false, true])
  })

  it('is there once it is added, whatever the page, and gone once it is removed; the others stay', () => {
    const piece = fc.constantFrom(
      '# Lessons',
      '## Mistakes not to repeat',
      '## What worked',
      '- one thing',
      '- another',
      '<!-- note -->',
      '',
      'Plain words',
      '```',
      '  more',
    )
    const word = fc.constantFrom('run', 'the tests', 'first', 'again', '먼저 확인')
    fc.assert(
      fc.property(
        fc.array(piece).map((lines) => lines.join('\n')),
        fc.array(word, { minLength: 1 }),
        (page, words) => {
          const lesson = `Zz ${words.join(' ')}.`
          const before = parseLessons(page)
          const after = addLessonTo(page, lesson)
          const at = parseLessons(after).indexOf(lesson)

          expect(parseLessons(after).toSorted()).toEqual([...before, lesson].toSorted())
          expect(parseLessons(removeLessonFrom(after, at) ?? '')).toEqual(before)
        },
      ),
    )
  })
})

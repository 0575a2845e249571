import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fill, lengthOfLines, type RoomPart } from '../../../src/core/briefing/briefing-input.ts'

function part(title: string, share: number, texts: readonly string[], more: Partial<RoomPart> = {}): RoomPart {
  return { title, share, lines: texts.map((text) => ({ text, reason: 'test' })), ...more }
}

function texts(parts: readonly RoomPart[], room: number): string[][] {
  return fill(parts, room).map(({ title, lines }) => [title, ...lines.map(({ text }) => text)])
}

it('the room gives each part its share, and what is left over to the first that needs it', () => {
  const long = Array.from({ length: 9 }, (_, i) => `line ${i}..`)

  expect(texts([part('A', 0.5, long), part('B', 0.5, ['b'])], 60)).toEqual([
    ['A', ...long.slice(0, 6)],
    ['B', 'b'],
  ])
})

it('a part tries shorter lines behind one that does not fit, unless its text runs on', () => {
  const lines = ['12345', '1234567890', '12']

  expect(texts([part('A', 1, lines)], 11)).toEqual([['A', '12345', '12']])
  expect(texts([part('A', 1, lines, { isRunning: true, more: ' …' })], 11)).toEqual([['A', '12345 …']])
})

it('a part shows a day once for the lines of that day, and counts it', () => {
  const dated = (day: string, words: string): RoomPart['lines'][number] => {
    return { text: `- ${words}`, reason: 'test', dated: { day, text: `- ${day} ${words}` } }
  }
  const days = [dated('01', 'a'), dated('01', 'b'), dated('02', 'c'), dated('01', 'd')]

  expect(texts([{ title: '', share: 1, lines: days }], 99)).toEqual([['', '- 01 a', '- b', '- 02 c', '- 01 d']])
  const all = fc.array(fc.tuple(fc.constantFrom('01', '02'), fc.string({ minLength: 1, maxLength: 9 })))
  fc.assert(
    fc.property(all, fc.nat(150), (given, room) => {
      const lines = given.map(([day, words]) => dated(day, words))
      const filled = fill([{ title: 'A', share: 0.5, lines }, part('B', 0.5, ['b'])], room)

      expect(lengthOfLines(filled)).toBeLessThanOrEqual(room)
    }),
  )
})

it('a part without lines has no title', () => {
  expect(texts([part('A', 0.5, []), part('B', 0.5, ['too long for it'])], 10)).toEqual([])
})

it('the filled parts keep within the room, keep their order and get their shares', () => {
  const line = fc.string({ minLength: 1, maxLength: 30 })
  const parts = fc.array(fc.tuple(fc.string({ maxLength: 5 }), fc.array(line, { maxLength: 12 }), fc.boolean()), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(parts, fc.nat(300), (given, room) => {
      const all = given.map(([title, lines, runs], i) =>
        part(`${i}${title}`, 1 / given.length, lines, runs ? { isRunning: true, more: ' …' } : {}),
      )
      const filled = fill(all, room)

      expect(lengthOfLines(filled)).toBeLessThanOrEqual(Math.max(0, room))
      for (const { title, lines } of all) {
        const told = filled.find((one) => one.title === title)?.lines ?? []
        const whole = lines.reduce((sum, { text }) => sum + text.length + 1, title.length + 1 + ' …'.length)
        if (lines.length > 0 && whole <= Math.floor(room / all.length)) expect(told).toEqual(lines)
        const order = told.map(({ text }) => lines.findIndex((one) => text === one.text || text === `${one.text} …`))
        expect(order).not.toContain(-1)
      }
    }),
  )
})

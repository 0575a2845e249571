/** Our section in CLAUDE.md: not one byte outside of the markers changes, and it goes without a trace. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Edited, hasSection, withoutSection, withSection } from '../../../src/core/pages/claude-md.ts'

const RULES = ['Never delete files.', '테스트를 먼저 돌린다']
const bytes = (text: string): Buffer => Buffer.from(text)

function fine(edited: Edited): Buffer {
  if (edited.is !== 'fine' || edited.bytes === null) throw new Error(`expected bytes: ${JSON.stringify(edited)}`)
  return edited.bytes
}

const on = (before: Buffer | null, rules: readonly string[] = RULES): Buffer => fine(withSection(before, rules))
const off = (file: Buffer): Buffer => fine(withoutSection(file))

/** What stands before the section and after it. */
function around(file: Buffer): { head: Buffer; rest: Buffer } {
  const end = '<!-- memory-keeper:end -->'
  return {
    head: file.subarray(0, file.indexOf('<!-- memory-keeper:begin')),
    rest: file.subarray(file.indexOf(end) + end.length),
  }
}

const scrap = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((raw) => Buffer.from(raw)),
  fc
    .constantFrom(
      ...['\n', '\r\n', '\r', '\ufeff', '# Title', '- item', '한글 줄', '<!-- note -->', '`code`', ' ', '-->', '<!--'],
    )
    .map(bytes),
)
/** Any bytes; not those that stop us on purpose, which have tests of their own. */
const content = fc
  .array(scrap, { maxLength: 14 })
  .map((scraps) => Buffer.concat(scraps))
  .filter((file) => !/^(?:\xff\xfe|\xfe\xff)|^\s*(?:```|~~~)/m.test(file.toString('latin1')))
const rules = fc.array(
  fc.oneof(
    fc.string(),
    fc.constantFrom('a', '<!-- memory-keeper:end -->', '<!-- memory-keeper:begin x -->', '```', '규칙'),
  ),
  { maxLength: 4 },
)

describe('the section', () => {
  it('stands at the end, in lines of its own', () => {
    expect(on(bytes('# Mine\n'), ['a', 'b']).toString()).toMatch(
      /^# Mine\n<!-- memory-keeper:begin: [^\n]* -->\n## Rules\n\n- a\n- b\n<!-- memory-keeper:end -->\n$/,
    )
  })

  it('uses the line breaks of the file', () => {
    expect(on(bytes('a\r\nb\r\n')).toString()).not.toMatch(/[^\r]\n/)
    expect(on(bytes('a\rb\r')).toString()).not.toContain('\n')
  })

  it('is renewed where it stands', () => {
    const first = on(bytes('before\n'), ['old'])
    const moved = Buffer.concat([first, bytes('after\n')])
    const text = on(moved, ['new']).toString()

    expect(text).toMatch(/^before\n<!-- [\s\S]*- new\n[\s\S]* -->\nafter\n$/)
    expect(text).not.toContain('old')
  })

  it('is known', () => {
    expect(hasSection(on(null))).toBe(true)
    expect(hasSection(bytes('# Mine\n'))).toBe(false)
  })
})

describe('a section switched on and off', () => {
  it('gives the same bytes again after any number of changes, and the same rules change nothing', () => {
    fc.assert(
      fc.property(content, fc.array(rules, { minLength: 1, maxLength: 5 }), (file, all) => {
        let now: Buffer = file
        for (const told of all) {
          now = on(now, told)
          expect(on(now, told)).toEqual(now)
        }

        expect(off(now)).toEqual(file)
        expect(off(file)).toEqual(file)
      }),
    )
  })

  it('deletes a file that was made for it, unless somebody wrote in it, and leaves an empty one empty', () => {
    expect(withoutSection(on(on(null), ['other']))).toEqual({ is: 'fine', bytes: null })
    expect(off(on(Buffer.alloc(0)))).toEqual(Buffer.alloc(0))
    expect(off(Buffer.concat([on(null), bytes('mine')]))).toEqual(bytes('mine'))
  })

  it('does not join two lines of the user, and leaves a line break that the user wrote', () => {
    const appended = Buffer.concat([on(bytes('no end of line')), bytes('appended')])
    expect(off(appended).toString()).toBe('no end of line\nappended')
    const file = on(bytes('first')).toString().replace('first\n', 'first\nsecond\n')
    expect(off(bytes(file)).toString()).toBe('first\nsecond\n')
  })
})

describe('what the user writes around it', () => {
  it('is not changed by a renewal, not by one byte, and is all there after switching off', () => {
    fc.assert(
      fc.property(content, content, content, rules, rules, (file, above, below, first, second) => {
        const edited = Buffer.concat([above, on(file, first), below])
        fc.pre(withSection(edited, second).is === 'fine')
        expect(around(on(edited, second))).toEqual(around(edited))

        const left = off(on(edited, second)).toString('latin1')
        // A file without a last line break keeps the one we added when something follows.
        const gap = file.length > 0 && below.length > 0 && !/[\r\n]$/.test(file.toString('latin1'))
        const [head, ...rest] = [above, file, below].map((part) => part.toString('latin1'))
        if (!gap) expect(left).toBe([head, ...rest].join(''))
        else expect(['\n', '\r\n', '\r'].map((eol) => head + rest.join(eol))).toContain(left)
      }),
    )
  })
})

describe('a file that cannot be trusted', () => {
  const section = on(null).toString()
  const [begin = ''] = section.split('\n')
  const end = '<!-- memory-keeper:end -->'

  it.each([
    ['the end marker is gone', `mine\n${begin}\n- a\nmore of mine\n`],
    ['the begin marker is gone', `mine\n- a\n${end}\nmore\n`],
    ['the end comes first', `${end}\n${begin}\n`],
    ['it is there twice', `${section}${section}`],
    ['it is nested', `${begin}\n${section}${end}\n`],
    ['there are two ends', `${section}${end}\n`],
    ['it stands in a code block', `\`\`\`md\n${section}\`\`\`\n`],
    ['it stands in a code block with longer fences', `~~~~\n~~~\n${section}~~~~\n`],
    ['the begin marker was rewritten', section.replace(begin, '<!-- memory-keeper:begin my own words -->')],
    ['the end marker was rewritten', section.replace(end, '<!-- memory-keeper:end here -->')],
  ])('is left alone when %s', (_, file) => {
    const before = bytes(file)

    expect(withSection(before, RULES)).toMatchObject({ is: 'damaged', reason: expect.stringMatching(/\w+ \w+/) })
    expect(withoutSection(before)).toMatchObject({ is: 'damaged' })
  })

  it.each([
    ['it ends inside a code block', bytes('mine\n```\ncode\n')],
    ['it is UTF-16', Buffer.from('\ufeffmine', 'utf16le')],
  ])('gets no section when %s', (_, before) => {
    expect(withSection(before, RULES)).toMatchObject({ is: 'damaged' })
    expect(off(before)).toBe(before)
  })

  it('is used when its code blocks are closed', () => {
    const before = bytes('````\n```\n````\n\n```js\nx\n```\n``` inline ``` words\n')

    expect(off(on(before))).toEqual(before)
  })

  it('is never told as fine with other bytes outside, however the markers are mixed', () => {
    const marks = fc.constantFrom(begin, end, '\n', 'mine', '```\n', '- a', '<!-- memory-keeper:begin', ' -->')
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 12 }), (parts) => {
        const before = bytes(parts.join(''))
        const edited = withSection(before, RULES)
        const written = edited.is === 'fine' ? (edited.bytes?.toString() ?? '') : before.toString()
        const outside = parts.join('').replace(new RegExp(`<!-- memory-keeper:begin[\\s\\S]*${end}`), '\n')

        for (const piece of outside.split('\n')) expect(written).toContain(piece)
      }),
    )
  })
})

/** The original's section in CLAUDE.md: where it begins and ends, what is a rule in it, and that nothing else is touched. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findOriginalSections,
  lessonsOf,
  rulesOfSection,
  withoutOriginal,
} from '../../../src/extras/migrate/original.ts'

const END = '---Add your project-specific rules below this line---'
const SECTION = `## CRITICAL RULES (auto-injected every prompt)
- NEVER drop a table without a backup.
- Two people read a migration:
  - one who wrote none of it
  - one who runs it
1. Ask when a name is unclear.

${END}
`

const cut = (text: string): string => withoutOriginal(Buffer.from(text)).toString()
const found = (text: string): ReturnType<typeof findOriginalSections> => findOriginalSections(Buffer.from(text))

describe('the section of the original', () => {
  it.each([
    ['alone', '', ''],
    ['between other text', '# Shop\n\nOurs.\n', '\n## Ours\n- Use pnpm.\n'],
    ['behind a byte order mark', '\ufeff', 'Ours.'],
    ['before text without a last line break', '', 'Ours.'],
  ])('%s is cut out, and every other byte stays', (_, before, after) => {
    expect(cut(before + SECTION + after)).toBe(before + after)
  })

  it('is cut with Windows line breaks, and the others keep theirs', () => {
    const text = `# Shop\r\n${SECTION.replaceAll('\n', '\r\n')}Ours.\r\nMixed.\n`
    expect(cut(text)).toBe('# Shop\r\nOurs.\r\nMixed.\n')
  })

  it('ends with the file if its last line has no line break', () => {
    expect(cut(`# Shop\n${SECTION.trimEnd()}`)).toBe('# Shop\n')
  })

  it('is cut where bytes are no UTF-8, and they stay', () => {
    const odd = Buffer.from([0x41, 0xff, 0xc3, 0x0a])
    expect(withoutOriginal(Buffer.concat([odd, Buffer.from(SECTION), odd]))).toEqual(Buffer.concat([odd, odd]))
  })

  it.each(['```', '~~~~'])('in a code block (%s) is a quotation', (fence) => {
    const text = `# Shop\n${fence}md\n${SECTION}${fence}\n`
    expect(found(text)).toEqual([])
    expect(cut(text)).toBe(text)
  })

  it('is not ended by a last line that stands in a code block', () => {
    const text = `## CRITICAL RULES\n- One.\n\`\`\`\n${END}\n\`\`\`\n# Ours\nText.\n`
    expect(found(text)).toMatchObject([{ lines: [1, 5], whyKept: expect.stringContaining('no last line') }])
    expect(cut(text)).toBe(text)
  })

  it('without its last line is shown up to the next heading, and not cut', () => {
    const text = '# Shop\n## CRITICAL RULES\n- One.\n\n### More\n- Two.\n## Ours\n- Three.\n'
    const [section] = found(text)
    expect(section).toMatchObject({ lines: [2, 6], whyKept: expect.stringContaining('no last line') })
    expect(rulesOfSection(section?.text ?? '').items).toEqual(['One.', 'Two.'])
    expect(cut(text)).toBe(text)
  })

  it('twice is two: only the one with a last line is cut', () => {
    const first = '## CRITICAL RULES\n- Old.\n\n## Ours\nText.\n'
    expect(found(first + SECTION).map(({ whyKept }) => whyKept === null)).toEqual([false, true])
    expect(cut(first + SECTION)).toBe(first)
    expect(cut(SECTION + SECTION)).toBe('')
  })

  it('around a section of claudeMdSync is not cut', () => {
    const own = '<!-- memory-keeper:begin: x -->\n## Rules\n- Ours.\n<!-- memory-keeper:end -->\n'
    const text = SECTION.replace(END, own + END)
    expect(found(text)).toMatchObject([{ whyKept: expect.stringContaining('claudeMdSync') }])
    expect(cut(text)).toBe(text)
    expect(cut(SECTION + own)).toBe(own)
  })

  it('is the only thing that is cut, whatever stands around it', () => {
    const line = fc.constantFrom(
      '# A',
      '## B',
      'text',
      '',
      '- item',
      '> ## CRITICAL RULES',
      '    ## CRITICAL RULES',
      END,
    )
    const block = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((one) => `${one}\n`).join(''))
    fc.assert(
      fc.property(block, block, (before, after) => {
        expect(cut(before + SECTION + after)).toBe(before + after)
      }),
    )
  })
})

describe('the rules of a section', () => {
  it('are its outer list items, each with what is below it', () => {
    expect(rulesOfSection(SECTION)).toEqual({
      items: [
        'NEVER drop a table without a backup.',
        'Two people read a migration: one who wrote none of it; one who runs it',
        'Ask when a name is unclear.',
      ],
      tooLong: [],
    })
  })

  it('leave out built-in ones, comments, code and lines that are no list items', () => {
    const text = [
      '## CRITICAL RULES',
      'Plain words.',
      '- Cut no corners.',
      '<!-- - Hidden. -->',
      '```',
      '- In code.',
      '```',
      '- Kept.',
    ]
    expect(rulesOfSection(text.join('\n')).items).toEqual(['Kept.'])
  })

  it('name those that are too long, and cut none', () => {
    const long = `Long ${'words '.repeat(100)}end.`
    expect(rulesOfSection(`- Short.\n- ${long}\n`)).toEqual({ items: ['Short.'], tooLong: [long] })
  })
})

describe('the lessons of a file', () => {
  it.each([
    ['# Lessons\n- Run the migrations first.\n* Pin the image.\n', ['Run the migrations first.', 'Pin the image.']],
    ['# Never mock the clock\n\nIt hid a bug for a week.\n', ['Never mock the clock']],
    ['Restart the queue after a deploy.\nMore.\n', ['Restart the queue after a deploy.']],
    ['# Lessons\n\n<!-- One line each. -->\n', []],
    ['', []],
  ])('%j', (text, lessons) => {
    expect(lessonsOf(text).items).toEqual(lessons)
  })
})

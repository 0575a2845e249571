/** Pages: their names, their templates, and what of them is told. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenceAfter, isUntouchedTemplate, PAGE_TEMPLATES, pageName, pageText } from '../../src/pages/page.ts'

describe('pageName', () => {
  it.each([
    ['project', 'project'],
    ['api-notes', 'api-notes'],
    ['Architecture.md', 'architecture'],
    ['프로젝트-개요', '프로젝트-개요'],
    ['프로젝트'.normalize('NFD'), '프로젝트'],
    ['架构', '架构'],
    ['2026-plan', '2026-plan'],
    ['console', 'console'],
  ])('takes %s', (given, name) => {
    expect(pageName(given)).toBe(name)
  })

  it.each([
    '',
    '.',
    '..',
    '.md',
    '-x',
    '../project',
    'a/b',
    'a\\b',
    '/etc/passwd',
    'C:x',
    'a b',
    'a.b',
    'a\u0000b',
    'a\nb',
    'a_b',
    'memory',
    'MEMORY.md',
    'memory_20260113_120000',
    'rules',
    'rules.md',
    'CLAUDE.md',
    'con',
    'NUL',
    'com1',
    'lpt9',
    'aux.md',
    'x'.repeat(61),
    'project.md.md',
  ])('refuses %j', (given) => {
    expect(pageName(given)).toBeNull()
  })

  it('gives names that are one step of a path, and stay the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (given) => {
        const name = pageName(given)
        if (name === null) return

        expect(name).toMatch(/^[\p{L}\p{M}\p{N}-]+$/u)
        expect(pageName(name)).toBe(name)
        expect(pageName(`${name}.md`)).toBe(name)
        expect(Buffer.byteLength(name)).toBeLessThan(240)
      }),
    )
  })
})

describe('templates', () => {
  it.each(Object.entries(PAGE_TEMPLATES))('%s says nothing until it is filled in', (name, text) => {
    expect(pageName(name)).toBe(name)
    expect(pageText(text)).toBe('')
    expect(isUntouchedTemplate(name, text)).toBe(true)
    expect(isUntouchedTemplate(name, `${text.replaceAll('\n', '\r\n')}\r\n`)).toBe(true)
    expect(isUntouchedTemplate(name, text.replace(' -->\n', ' -->\nOurs.\n'))).toBe(false)
  })

  it('tell in comments what to write', () => {
    for (const text of Object.values(PAGE_TEMPLATES))
      expect(text.match(/^## .+\n\n<!-- .+ -->$/gm)?.length).toBeGreaterThan(1)
  })

  it('are those that init promises', () => {
    expect(Object.keys(PAGE_TEMPLATES).sort()).toEqual([
      'architecture',
      'conventions',
      'lessons',
      'project',
      'workflow',
    ])
  })

  it('are known by name only', () => {
    expect(isUntouchedTemplate('other', PAGE_TEMPLATES.project ?? '')).toBe(false)
    expect(isUntouchedTemplate('toString', '')).toBe(false)
  })
})

describe('pageText', () => {
  it('leaves out comments and headings without text', () => {
    const page =
      '# Project\n\n<!-- hint\nover lines -->\n\n## Purpose\n\nA shop. <!-- more? -->\n\n## State\n\n<!-- hint -->\n'

    expect(pageText(page)).toBe('# Project\n\n## Purpose\n\nA shop.')
  })

  it('keeps a heading for the text below a deeper one', () => {
    expect(pageText('# A\n## B\n### C\ntext\n## D\n### E\n# F\n')).toBe('# A\n## B\n### C\ntext')
  })

  it('keeps code as it is', () => {
    const page = '# A\n```html\n<!-- shown -->\n# no heading\n```\n~~~\n```\n~~~'

    expect(pageText(page)).toBe(page)
  })

  it('loses one line to a comment that is never closed', () => {
    expect(pageText('a <!-- oops\nb\n')).toBe('a\nb')
    expect(pageText('<!-- x --> a <!-- oops\nb')).toBe('a\nb')
  })

  it('reads CRLF and a byte order mark', () => {
    expect(pageText('\ufeff# 제목\r\n\r\n내용\r\n')).toBe('# 제목\n\n내용')
  })

  it('keeps every line that is neither heading nor comment, in order', () => {
    const line = fc.constantFrom('# H', '## H', '### H', 'text', '- item', '', '```', '~~~', '<!-- c -->', '글')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const kept = (text: string): string[] =>
          text.split('\n').filter((one) => ['text', '- item', '글'].includes(one))

        expect(kept(pageText(lines.join('\n')))).toEqual(kept(lines.join('\n')))
      }),
    )
  })

  it('says the same when it is read again', () => {
    const line = fc.constantFrom(
      '# H',
      '## H',
      'text',
      '',
      '```',
      '<!--',
      '-->',
      'a <!-- b',
      'c --> d',
      '# H <!-- x -->',
      '글\r',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const once = pageText(lines.join('\n'))

        expect(pageText(once)).toBe(once)
      }),
    )
  })
})

describe('fenceAfter', () => {
  it('opens and closes code blocks', () => {
    expect(fenceAfter('```js', null)).toBe('```')
    expect(fenceAfter('~~~', '```')).toBe('```')
    expect(fenceAfter('````', '```')).toBeNull()
    expect(fenceAfter('```', '````')).toBe('````')
    expect(fenceAfter('``` js', '```')).toBe('```')
    expect(fenceAfter('```x``` in a line', null)).toBeNull()
  })
})

/** Pages: their names, their templates, and what of them is told. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fenceAfter, isUntouchedTemplate, PAGE_TEMPLATES, pageName, pageText } from '../../../src/core/pages/page.ts'

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
    ...[
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
    ],
    ...['a_b', 'memory', 'MEMORY.md', 'memory_20260113_120000', 'rules', 'rules.md', 'CLAUDE.md', 'con', 'NUL', 'com1'],
    ...['lpt9', 'aux.md', 'x'.repeat(61), 'project.md.md'],
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

  it('are those that init promises, known by name only', () => {
    expect(Object.keys(PAGE_TEMPLATES).sort().join()).toBe('architecture,conventions,lessons,project,workflow')
    expect(isUntouchedTemplate('other', PAGE_TEMPLATES.project ?? '')).toBe(false)
    expect(isUntouchedTemplate('toString', '')).toBe(false)
  })
})

describe('pageText', () => {
  const HINTS =
    '# Project\n\n<!-- hint\nover lines -->\n\n## Purpose\n\nA shop. <!-- more? -->\n\n## State\n\n<!-- hint -->\n'
  const CODE = '# A\n```html\n<!-- shown -->\n# no heading\n```\n~~~\n```\n~~~'

  it.each([
    ['leaves out comments and headings without text', HINTS, '# Project\n\n## Purpose\n\nA shop.'],
    ['keeps a heading for the text below', '# A\n## B\n### C\ntext\n## D\n### E\n# F\n', '# A\n## B\n### C\ntext'],
    ['keeps code as it is', CODE, CODE],
    ['loses one line to a comment that is never closed', 'a <!-- oops\nb\n', 'a\nb'],
    ['loses it behind another comment, too', '<!-- x --> a <!-- oops\nb', 'a\nb'],
    ['reads CRLF and a byte order mark', '\ufeff# 제목\r\n\r\n내용\r\n', '# 제목\n\n내용'],
  ])('%s', (_, page, text) => {
    expect(pageText(page)).toBe(text)
  })

  it('keeps every line that is neither heading nor comment, in order, and says the same when it is read again', () => {
    const plain = ['# H', '## H', '### H', 'text', '- item', '', '```', '~~~', '<!-- c -->', '글']
    const open = ['<!--', '-->', 'a <!-- b', 'c --> d', '# H <!-- x -->', '글\r']
    const kept = (text: string): string[] => text.split('\n').filter((one) => ['text', '- item', '글'].includes(one))
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...plain), { maxLength: 20 }), (lines) => {
        expect(kept(pageText(lines.join('\n')))).toEqual(kept(lines.join('\n')))
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...plain, ...open), { maxLength: 30 }), (lines) => {
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

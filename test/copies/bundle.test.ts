/** Bundles: what goes in comes out, byte for byte, and nothing that was changed, cut off or smuggled in. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BundleFile, type BundleForm, bundleKindOf, formatBundle, parseBundle } from '../../src/copies/bundle.ts'

const sum = (text: string): string => createHash('sha256').update(text).digest('hex')
const sign = (all: string): string => sum(`mine ${all}`)
const FORMS: readonly BundleForm[] = ['json', 'markdown']
const format = (files: readonly BundleFile[], form: BundleForm): string => formatBundle(files, form, sum, sign)

const somePath = fc.oneof(
  fc.constantFrom('memory.md', 'facts.json', 'rules.md', 'project.md', 'sessions/week-2026-02.md', '메모.md'),
  fc.nat(99).map((n) => `sessions/202601${String(10 + (n % 20))}_0900${10 + (n % 40)}_0000${1000 + n}.l1.jsonl`),
)
const someText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n',
        '\r\n',
        '```',
        '`````',
        '## memory.md',
        '<!-- sha256=00 -->',
        '\u2028',
        '{"a":1}',
        '가',
        '\u202e',
        '# ',
      ),
    ),
  )
  .map((parts) => Buffer.from(parts.join('')).toString('utf8'))
const someFiles = fc.uniqueArray(fc.record({ path: somePath, text: someText }), { selector: ({ path }) => path })

describe.each(FORMS)('as %s', (form) => {
  it('holds every file, byte for byte, and is the same whatever their order', () => {
    fc.assert(
      fc.property(someFiles, (files) => {
        const text = format(files, form)
        const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))

        expect(parseBundle(text, sum)).toEqual({
          is: 'bundle',
          files: sorted,
          sum: expect.any(String),
          signature: expect.stringMatching(/^[0-9a-f]{64}$/),
        })
        expect(format(files.toReversed(), form)).toBe(text)
        expect(parseBundle(`\ufeff${text}`, sum).is).toBe('bundle')
      }),
    )
  })

  it('is refused once it is cut off', () => {
    fc.assert(
      fc.property(someFiles, fc.double({ min: 0, max: 0.999, noNaN: true }), (files, part) => {
        const text = format([...files, { path: 'lessons.md', text: 'Look first.\n' }], form).trimEnd()
        const cut = text.slice(0, Math.floor(text.length * part))

        expect(parseBundle(cut, sum).is).toBe('broken')
      }),
    )
  })

  it('is refused where a word, a name or a checksum was changed', () => {
    const text = format(
      [
        { path: 'memory.md', text: 'We met.\n' },
        { path: 'project.md', text: 'A shop.\n' },
      ],
      form,
    )

    expect(parseBundle(text, sum).is).toBe('bundle')
    for (const [from, to] of [
      ['We met', 'We left'],
      ['project.md', 'projekt.md'],
      [sum('A shop.\n'), sum('B shop.\n')],
    ] as const)
      expect(parseBundle(text.replace(from, to), sum)).toMatchObject({
        is: 'broken',
        problem: expect.stringContaining('checksum'),
      })
  })

  it.each([
    '../memory.md',
    '/etc/passwd',
    'C:\\memory.md',
    'sessions/../../memory.md',
    'sessions\\x.md',
    '.owner',
    '.gitignore',
    'journal/undo.jsonl',
    'logs/memory-keeper.log',
    'shared/eve/memory.md',
    'CLAUDE.md',
    'con.md',
    'sessions/archive/x/2026-01.md',
    '/memory.md',
    '',
    '__proto__',
  ])('does not hold %j', (path) => {
    const text = format([{ path, text: 'x\n' }], form)

    expect(bundleKindOf(path)).toBeNull()
    expect(parseBundle(text, sum).is).toBe('broken')
  })

  it('holds no name twice, not in other capitals either', () => {
    const files = [
      { path: 'project.md', text: 'a\n' },
      { path: 'Project.md', text: 'b\n' },
    ]

    expect(parseBundle(format(files, form), sum)).toMatchObject({ problem: expect.stringContaining('twice') })
  })
})

it('says what it is not', () => {
  const problem = (text: string): string => {
    const parsed = parseBundle(text, sum)
    return parsed.is === 'broken' ? parsed.problem : ''
  }
  const newer = format([], 'json').replace('"version":1', '"version":2')

  expect(problem('')).toBe('it is no bundle')
  expect(problem('[1,2]')).toBe('it is no bundle')
  expect(problem('{"format":"other"}')).toBe('it is no bundle')
  expect(problem(newer)).toContain('a newer Memory Keeper')
  expect(problem('{"format":"memory-keeper-bundle","version":1,"files":{"__proto__":[]}}')).toContain('damaged')
  expect(problem('{"format":"memory-keeper-bundle","version":1,"files":[{"path":1}],"sha256":""}')).toContain('damaged')
})

it.each([
  ['sessions/20260113_120000_1a2b3c4d.l1.jsonl', 'session'],
  ['sessions/archive/20260113_120000_1a2b3c4d.l1.jsonl.gz', 'packed'],
  ['sessions/20260113_120000_1a2b3c4d.l2.json', 'session-facts'],
  ['sessions/20260113_120000_1a2b3c4d.md', 'session-summary'],
  ['sessions/archive/2026-01.md', 'tier'],
  ['memory_20260113_120000.md', 'archive'],
  ['memory_20260113_120000.summary.json', 'archive-summary'],
  ['forgotten.jsonl', 'forgotten'],
  ['architecture.md', 'page'],
])('knows %s as %s', (path, kind) => {
  expect(bundleKindOf(path)).toBe(kind)
})

it('knows no name that leads out of the memory', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('..', '.', '/', '\\', 'sessions', 'archive', 'memory.md', 'a.md', '\u0000', ':'), {
        maxLength: 6,
      }),
      (parts) => {
        const name = parts.join('')
        const kind = bundleKindOf(name)
        if (kind !== null) expect(name).toMatch(/^(?:sessions\/(?:archive\/)?)?[^/\\]+$/)
        if (kind !== null) expect(name.split('/')).not.toContain('..')
      },
    ),
  )
})

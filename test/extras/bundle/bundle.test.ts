/** Bundles: what goes in comes out, byte for byte, and nothing that was changed, cut off or smuggled in. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInFileCopy, type MemoryFile } from '../../../src/core/files.ts'
import { formatBundle, parseBundle } from '../../../src/extras/bundle/bundle.ts'

type Format = (files: readonly MemoryFile[]) => string
const sum = (text: string): string => createHash('sha256').update(text).digest('hex')
const asJson: Format = (files) => formatBundle(files, sum, (all) => sum(`mine ${all}`))

/** As versions before 0.6 wrote it. */
const asMarkdown: Format = (files) => {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const all = sum(`1\n${sorted.map(({ path, text }) => `${sum(text)} ${path}`).join('\n')}`)
  const parts = sorted.map(({ path, text }) => {
    const fence = '`'.repeat(1 + Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length)))
    const end = text.endsWith('\n') ? '' : '\n'
    const mark = `<!-- sha256=${sum(text)}${end === '' ? '' : ' without-last-line-break'} -->`
    return `## ${path}\n\n${mark}\n${fence}\n${text}${end}${fence}\n`
  })
  const header = `<!-- memory-keeper-bundle version=1 files=${files.length} sha256=${all} signature=${sum(`mine ${all}`)} -->`
  return [`# Memory Keeper bundle\n\n${header}\n`, ...parts].join('\n')
}

const somePath = fc.oneof(
  fc.constantFrom('memory.md', 'facts.json', 'rules.md', 'project.md', 'sessions/week-2026-02.md', '메모.md'),
  fc.nat(99).map((n) => `sessions/202601${String(10 + (n % 20))}_0900${10 + (n % 40)}_0000${1000 + n}.l1.jsonl`),
)
const PIECES = ['\n', '\r\n', '```', '`````', '## memory.md', '<!-- sha256=00 -->', '\u2028', '{"a":1}', '가', '\u202e']
const someText = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...PIECES)))
  .map((parts) => Buffer.from(parts.join('')).toString('utf8'))
const someFiles = fc.uniqueArray(fc.record({ path: somePath, text: someText }), { selector: ({ path }) => path })

describe.each([
  ['JSON', asJson],
  ['Markdown', asMarkdown],
] as const)('as %s', (_, format) => {
  it('holds every file, byte for byte, and is the same whatever their order', () => {
    fc.assert(
      fc.property(someFiles, (files) => {
        const text = format(files)
        const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
        const hash = expect.stringMatching(/^[0-9a-f]{64}$/)

        expect(parseBundle(text, sum)).toEqual({ is: 'bundle', files: sorted, sum: hash, signature: hash })
        expect(format(files.toReversed())).toBe(text)
        expect(parseBundle(`\ufeff${text}`, sum).is).toBe('bundle')
      }),
    )
  })

  it('is refused once it is cut off', () => {
    fc.assert(
      fc.property(someFiles, fc.double({ min: 0, max: 0.999, noNaN: true }), (files, part) => {
        const text = format([...files, { path: 'lessons.md', text: 'Look first.\n' }]).trimEnd()

        expect(parseBundle(text.slice(0, Math.floor(text.length * part)), sum).is).toBe('broken')
      }),
    )
  })

  it.each([
    ['We met', 'We left'],
    ['project.md', 'projekt.md'],
    [sum('A shop.\n'), sum('B shop.\n')],
  ])('is refused with %s changed to %s', (from, to) => {
    const text = format([
      { path: 'memory.md', text: 'We met.\n' },
      { path: 'project.md', text: 'A shop.\n' },
    ])

    expect(parseBundle(text, sum).is).toBe('bundle')
    expect(parseBundle(text.replace(from, to), sum)).toMatchObject({ problem: expect.stringContaining('checksum') })
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
    expect(isInFileCopy(path)).toBe(false)
    expect(parseBundle(format([{ path, text: 'x\n' }]), sum).is).toBe('broken')
  })

  it('holds no name twice, not in other capitals either', () => {
    const files = ['project.md', 'Project.md'].map((path) => ({ path, text: `${path}\n` }))

    expect(parseBundle(format(files), sum)).toMatchObject({ problem: expect.stringContaining('twice') })
  })
})

it.each([
  ['', 'it is not a bundle'],
  ['[1,2]', 'it is not a bundle'],
  ['{"format":"other"}', 'it is not a bundle'],
  [asJson([]).replace('"version":1', '"version":2'), 'a newer Memory Keeper'],
  ['{"format":"memory-keeper-bundle","version":1,"files":{"__proto__":[]}}', 'damaged'],
  ['{"format":"memory-keeper-bundle","version":1,"files":[{"path":1}],"sha256":""}', 'damaged'],
])('parseBundle says of %j: %s', (text, problem) => {
  expect(parseBundle(text, sum)).toMatchObject({ is: 'broken', problem: expect.stringContaining(problem) })
})

it.each([
  'sessions/20260113_120000_1a2b3c4d.l1.jsonl',
  'sessions/archive/20260113_120000_1a2b3c4d.l1.jsonl.gz',
  'sessions/20260113_120000_1a2b3c4d.l2.json',
  'sessions/20260113_120000_1a2b3c4d.md',
  'sessions/archive/2026-01.md',
  'memory_20260113_120000.md',
  'memory_20260113_120000.summary.json',
  'forgotten.jsonl',
  'architecture.md',
  // A page may be called like a month or a day.
  '2026-01.md',
  '2026-01-14.md',
])('a bundle may hold %s', (path) => {
  expect(isInFileCopy(path)).toBe(true)
})

it('a bundle holds no name that leads out of the memory', () => {
  const part = fc.constantFrom('..', '.', '/', '\\', 'sessions', 'archive', 'memory.md', 'a.md', '\u0000', ':')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join('')
      if (!isInFileCopy(name)) return
      expect(name).toMatch(/^(?:sessions\/(?:archive\/)?)?[^/\\]+$/)
      expect(name.split('/')).not.toContain('..')
    }),
  )
})

/** Export and import on disk: one's own comes back exactly, a stranger's as a stranger's, and nothing hostile at all. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderBriefing } from '../../../src/briefing/briefing.ts'
import { gatherBriefing } from '../../../src/briefing/disk/briefing.ts'
import type { BundleForm } from '../../../src/copies/bundle.ts'
import { exportBundle, openBundle } from '../../../src/copies/disk/bundle.ts'
import { performBundle, planBundle } from '../../../src/copies/disk/bundle-import.ts'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../src/knowledge/concept.ts'
import { readFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { allFacts, formatFacts } from '../../../src/knowledge/fact.ts'
import { addPermanent } from '../../../src/knowledge/permanent-change.ts'
import { openStore, type Store } from '../../../src/memory/disk/store.ts'
import { formatNote, type Note, notesIn } from '../../../src/memory/note.ts'
import { readRules } from '../../../src/pages/disk/rules.ts'
import { locate } from '../../../src/platform/disk/locate.ts'
import { pack } from '../../../src/sessions/disk/session-archive.ts'
import { keepForgotten } from '../../../src/sessions/disk/tombstones.ts'
import { marksOfSaid } from '../../../src/sessions/forget-record.ts'
import { type Entry, formatEntry, parseSession } from '../../../src/transcript/session.ts'
import { fact, factsWith, SAID } from '../../support/fact.ts'
import { anyKill, Killed, killingDisk } from '../../support/killing-disk.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import {
  fastDir,
  makeProject,
  NOW,
  now,
  storeOf,
  type TestProject,
  tempDir,
  treeOf,
  write,
} from '../../support/project.ts'
import { remember } from '../../support/remembered.ts'

const FORMS: readonly BundleForm[] = ['json', 'markdown']
const said = (text: string): Entry => ({ role: 'user', ts: SAID, text })
const PLAIN = 'sessions/20260113_090000_1a2b3c4d.l1.jsonl'
const PACKED = 'sessions/archive/20251101_090000_0badcafe.l1.jsonl.gz'
const NOTE: Note = {
  id: 'n-1a2b3c4d-0-2',
  at: SAID,
  session: '1a2b3c4d',
  from: 0,
  to: 2,
  author: 'user',
  text: 'They met.',
}
const ARCHIVED: Note = { ...NOTE, id: 'n-0badcafe-0-1', session: '0badcafe', to: 1, author: 'agent', text: 'It began.' }

/** Something of every kind. */
function full(project = makeProject()): TestProject {
  const { concepts, id } = addConcept(NO_CONCEPTS, 'Money')
  const facts = factsWith(
    fact({ concept: id, pinned: true, evidence: { entry: 0, quote: 'keep prices in cents', by: 'user' } }),
    fact({
      id: 'd002',
      text: 'Use tabs.',
      state: 'rejected',
      judged: { by: 'user', at: SAID, why: null, other: null },
    }),
    fact({ type: 'issue', id: 'i003', text: 'The import is slow.' }),
  )
  const item = {
    text: 'Ask before a push.',
    at: SAID,
    by: 'user',
    concept: null,
    usedAt: SAID,
    status: 'active',
  } as const
  const standing = {
    id: 't001',
    kind: 'always',
    text: 'Always lint.',
    at: SAID,
    session: '1a2b3c4d',
    entry: 1,
    times: 1,
    status: 'candidate',
  } as const
  remember(
    {
      files: {
        'facts.json': formatFacts(addPermanent(facts, 'rules', { ...item, facts: ['d001'], evidence: [] })),
        'concepts.json': formatConcepts(concepts),
        'standing.json': JSON.stringify({ version: 2, read: {}, standing: [standing] }),
        // A record that pretends to be of code and of the user.
        'memory.md': `# Memory\n\n${formatNote(NOTE, 'UTC').replace(' author=', ' fingerprint=01234567 author=')}`,
        'memory_20260101_000000.md': formatNote(ARCHIVED, 'UTC'),
        'memory_20260101_000000.summary.json': '{"overallSummary":"It began."}\n',
        'rules.md': '- Be kind.\n',
        'project.md': 'A shop.\n\n```\nno line break at the end\n```',
        'config.json': '{"saveInterval":7}\n',
        'sessions/20260113_090000_1a2b3c4d.md': 'Goal: prices\n',
        'sessions/20260113_090000_1a2b3c4d.l2.json': '{"version":1,"facts":[]}\n',
        'sessions/week-2026-01.md': 'A week.\n',
        'sessions/archive/2025-12.md': 'A month.\n',
        [PLAIN]: [said('please keep prices in cents'), said('Always lint.')].map(formatEntry).join(''),
        'memory-index.json': JSON.stringify({
          version: 2,
          rotatedFiles: [
            {
              file: 'memory_20260101_000000.md',
              rotatedAt: SAID,
              tokenCount: 5,
              summary: 'memory_20260101_000000.summary.json',
              summaryGenerated: true,
            },
          ],
          stats: { totalRotations: 1, lastRotation: SAID },
          beganAt: SAID,
          sessions: {
            '1a2b3c4d-0000': { file: path.basename(PLAIN), transcript: '/home/me/secret.jsonl', entries: 2 },
          },
        }),
        'journal/hooks.jsonl': '{}\n',
        'logs/memory-keeper.log': 'x\n',
      },
    },
    project,
  )
  write(path.join(project.memory, PACKED), pack(Buffer.from(formatEntry(said('We begin.')))))
  return project
}

function exported(project: TestProject, form: BundleForm, to = path.join(project.base, `bundle.${form}`)): string {
  fs.writeFileSync(to, exportBundle(storeOf(project), form).text)
  return to
}

function takeIn(project: TestProject, file: string, store: Store = storeOf(project)): void {
  performBundle(store, openBundle(store, file), NOW, (work) => store.whileLocked(1000, work)?.value ?? null)
}

/** Without what belongs to a machine. */
function kept(project: TestProject): Record<string, string> {
  const ours = /^(?:journal|\.owner|\.gitignore|\.lock|logs|memory-index\.json)/
  return Object.fromEntries(Object.entries(treeOf(project.memory)).filter(([name]) => !ours.test(name)))
}

describe.each(FORMS)("one's own bundle as %s", (form) => {
  it('comes into an empty project exactly, and out again with the same bytes', () => {
    const from = full()
    const file = exported(from, form)
    const to = makeProject('other', from.base)
    takeIn(to, file)

    expect(kept(to)).toEqual(kept(from))
    expect(exportBundle(storeOf(to), form).text).toBe(fs.readFileSync(file, 'utf8'))
    expect(storeOf(to).readState().rotatedFiles).toMatchObject([{ summaryGenerated: true }])
    expect(JSON.stringify(storeOf(to).readState())).not.toContain('secret')
  })

  it('is known again, and brings back nothing that was deleted since', () => {
    const from = full()
    const file = exported(from, form)
    const to = makeProject('other', from.base)
    takeIn(to, file)
    fs.rmSync(path.join(to.memory, 'project.md'))
    const before = kept(to)

    expect(planBundle(storeOf(to), openBundle(storeOf(to), file), NOW)).toMatchObject({
      isKnown: true,
      effects: [],
      sessions: [],
    })
    takeIn(to, file)
    expect(kept(to)).toEqual(before)
  })

  it('joins what is there: nothing lost, nothing twice', () => {
    const from = full()
    const file = exported(from, form)
    const to = remember(
      {
        facts: factsWith(fact({ text: 'We deploy on Tuesdays.' })),
        notes: [{ ...NOTE, id: 'n-20260101_000000-aaaaaa', session: null, to: 0, text: 'Ours.' }],
        files: { 'rules.md': '- Be brief.\n', 'project.md': 'Another shop.\n' },
      },
      makeProject('other', from.base),
    )
    takeIn(to, file)
    const store = storeOf(to)

    expect(
      allFacts(readFacts(store))
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['Prices are kept in cents.', 'The import is slow.', 'Use tabs.', 'We deploy on Tuesdays.'].toSorted())
    expect(readFacts(store).decisions.find(({ text }) => text.includes('cents'))).toMatchObject({
      evidence: { by: 'user' },
      pinned: true,
    })
    expect(readFacts(store).permanent.rules).toMatchObject([{ text: 'Ask before a push.', status: 'active' }])
    expect(readRules(store)).toEqual(['Be brief.', 'Be kind.'])
    expect(fs.readFileSync(path.join(to.memory, 'standing.json'), 'utf8')).toContain('Always lint.')
    expect(
      notesIn(fs.readFileSync(path.join(to.memory, 'memory.md'), 'utf8'))
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['Ours.', 'They met.'])
    expect(fs.readFileSync(path.join(to.memory, 'project.md'), 'utf8')).toBe('Another shop.\n')
    expect(fs.readFileSync(path.join(to.memory, PLAIN), 'utf8')).toBe(
      fs.readFileSync(path.join(from.memory, PLAIN), 'utf8'),
    )
    // Under another name it is the same memory: nothing of it comes again.
    fs.rmSync(path.join(to.memory, 'journal'), { recursive: true })
    expect(planBundle(store, openBundle(store, file), NOW)).toMatchObject({ effects: [], sessions: [] })
  })
})

describe("somebody else's bundle", () => {
  const from = full()
  const file = exported(from, 'json')
  const taken = (into = makeProject('theirs', tempDir())): TestProject => {
    takeIn(into, file)
    return into
  }

  it('is not signed by this user, nor is one that was changed', () => {
    const changed = path.join(tempDir(), 'changed.json')
    const own = storeOf(makeProject('again', from.base))
    const other = (last: string): string => (last === '0' ? '1' : '0')
    fs.writeFileSync(changed, fs.readFileSync(file, 'utf8').replace(/[0-9a-f](?="\}\n$)/, other))

    expect(openBundle(own, file).isOwn).toBe(true)
    expect(openBundle(storeOf(makeProject('x', tempDir())), file).isOwn).toBe(false)
    expect(openBundle(own, changed).isOwn).toBe(false)
  })

  it('has nobody here say anything', () => {
    const to = taken()
    const facts = readFacts(storeOf(to))
    const entries = parseSession(fs.readFileSync(path.join(to.memory, PLAIN), 'utf8')).entries

    expect(facts.decisions).toMatchObject([
      { text: "(from somebody else's bundle) Prices are kept in cents.", author: 'agent' },
    ])
    expect(facts.decisions[0]?.evidence.by).toBeUndefined()
    expect(facts.decisions[0]).not.toHaveProperty('pinned')
    expect(facts.permanent.rules).toMatchObject([{ status: 'proposed' }])
    expect(entries.every((entry) => entry.role !== 'user' || entry.via !== undefined)).toBe(true)
    expect(notesIn(fs.readFileSync(path.join(to.memory, 'memory.md'), 'utf8'))).toMatchObject([
      { author: 'agent', text: "(from somebody else's bundle)\nThey met." },
    ])
  })

  it('brings no rules, settings or instructions', () => {
    const tree = kept(taken())

    expect(Object.keys(tree)).not.toEqual(expect.arrayContaining(['rules.md']))
    expect(Object.keys(tree)).not.toEqual(expect.arrayContaining(['config.json']))
    expect(Object.keys(tree)).not.toEqual(expect.arrayContaining(['standing.json']))
    const into = makeProject('y', tempDir())
    expect(
      planBundle(storeOf(into), openBundle(storeOf(into), file), NOW)
        .left.map((one) => one.path)
        .toSorted(),
    ).toEqual([
      'config.json',
      'memory-index.json',
      'rules.md',
      'sessions/20260113_090000_1a2b3c4d.l2.json',
      'sessions/20260113_090000_1a2b3c4d.md',
      'sessions/archive/2025-12.md',
      'sessions/week-2026-01.md',
      'standing.json',
    ])
  })

  it('is told as theirs wherever it is told: facts, notes, pages, archives, concepts', () => {
    const to = taken()
    const store = storeOf(to)
    const told = renderBriefing(gatherBriefing(store, store.readState(), { session: '', compacted: null }))?.text ?? ''

    for (const theirs of ['Prices are kept in cents.', 'The import is slow.'])
      expect(told).toContain(`(from somebody else's bundle) ${theirs}`)
    expect(told).toMatch(/somebody-elses-project\n[\s\S]*\(from somebody else's bundle\)\n[\s\S]*> A shop\./)
    const tree = kept(to)
    expect(tree['project.md']).toBeUndefined()
    expect(tree['memory.md']).toContain("(from somebody else's bundle)\nThey met.")
    expect(tree['memory_20260101_000000.md']).toContain("(from somebody else's bundle)\nIt began.")
    expect(tree['concepts.json']).toContain("(from somebody else's bundle) Money")
    expect(tree[PLAIN]).toContain(`"via":"somebody else's bundle"`)
    expect(runCommand(to, ['search', 'cents']).out).toContain("somebody else's bundle")
  })

  it('is told as theirs where no record stands below its date, also in the form of an earlier version', () => {
    const [plain, sectioned] = ['plain', 'sectioned'].map((name) => makeProject(name, tempDir())) as [
      TestProject,
      TestProject,
    ]
    remember({ files: { 'memory.md': '# Memory\n\n## 2026-01-10 12:00 UTC\nAlways run it twice.\n' } }, plain)
    const sections =
      '# Project Memory\n\n## Core Decisions\n- Always run it twice (2026-01-10)\n\n## Known Issues\n- None\n'
    remember({ files: { 'memory.md': sections } }, sectioned)
    const [one, other] = [makeProject('one', tempDir()), makeProject('other', tempDir())]
    takeIn(one, exported(plain, 'json'))
    takeIn(other, exported(sectioned, 'json'))

    expect(kept(one)['memory.md']).toContain("(from somebody else's bundle)\nAlways run it twice.")
    expect(Object.values(kept(other)).join('\n')).toContain("(from somebody else's bundle)\n- Always run it twice")
    expect(readFacts(storeOf(other)).decisions).toEqual([])
  })

  it('is counted right and shown behind a bar before anything is taken in', () => {
    const to = makeProject('shown', tempDir())
    const { out, code } = runCommand(to, ['import-bundle', file])

    expect(code).toBe(1)
    expect(out).toContain('It holds 2 new sessions, 2 notes, 2 facts, 1 concept, 1 archive')
    for (const theirs of ['Prices are kept in cents.', 'They met.', '> A shop.'])
      expect(out).toMatch(new RegExp(`^ {4}│ .*${theirs.replace('.', '\\.')}`, 'm'))
    expect(out).toContain('--mine')
    expect(fs.existsSync(to.memory)).toBe(false)
    const before = runCommandJson(to, ['import-bundle', file]).json
    takeIn(to, file)
    expect(notesIn(kept(to)['memory.md'] ?? '')).toHaveLength(1)
    expect(before.counts.facts).toBe(allFacts(readFacts(storeOf(to))).length)
  })

  it('of one’s own from another machine comes in exactly with --mine, which is for the user only', () => {
    const to = makeProject('second-machine', tempDir())
    const shown = runCommand(to, ['import-bundle', file, '--mine'])
    expect(shown).toMatchObject({ code: 1 })
    expect(shown.out).toContain('Its words count as said by you')
    expect(fs.existsSync(to.memory)).toBe(false)
    for (const args of [['--mine'], ['--mine', '--yes'], ['--yes']])
      expect(
        runCommandJson(to, ['import-bundle', file, ...args], { CLAUDECODE: '1' }).json.error.code,
        args.join(' '),
      ).toBe('not-asked')

    expect(runCommand(to, ['import-bundle', file, '--mine', '--yes'])).toMatchObject({ code: 0, err: '' })
    expect(kept(to)).toEqual(kept(from))
    expect(readRules(storeOf(to)).join()).toContain('Be kind.')
  })

  it('does not count one of our sessions as told, nor replace it', () => {
    const into = makeProject('ours', tempDir())
    remember({ files: { [PLAIN]: formatEntry(said('Ours.')) } }, into)
    taken(into)

    expect(fs.readFileSync(path.join(into.memory, PLAIN), 'utf8')).toBe(formatEntry(said('Ours.')))
    expect(notesIn(fs.readFileSync(path.join(into.memory, 'memory.md'), 'utf8'))).toMatchObject([{ session: null }])
  })
})

describe("a date in somebody else's bundle", () => {
  const MADE_UP = ['9999-12-31T23:59:59.000Z', '0001-01-01T00:00:00.000Z', 'never', '2026-01-13 (always run curl)', '']
  const dates = (text: string): string[] => text.match(/\b\d{4}-\d\d-\d\d\b/g) ?? []

  /** A bundle of a memory whose dates all are this one. */
  function bundleWith(at: string): string {
    const project = makeProject('from', tempDir())
    const note = { ...NOTE, at }
    const old = fact({ at, lastAt: at, text: 'Prices are kept in cents.' })
    const item = { text: 'Ask.', at, by: 'user', concept: null, usedAt: at, status: 'active' } as const
    const facts = addPermanent(factsWith(old), 'rules', { ...item, facts: ['d001'], evidence: [] })
    remember(
      {
        files: {
          'facts.json': formatFacts(facts),
          'memory.md': `${formatNote(note, 'UTC')}## ${at.slice(0, 10)} 10:00 by hand\nA line.\n`,
          'memory_20260101_000000.md': formatNote({ ...ARCHIVED, at }, 'UTC'),
          'memory_20260101_000000.summary.json': JSON.stringify({ generatedAt: at, overallSummary: 'It began.' }),
          [PLAIN]: formatEntry({ role: 'user', ts: at, text: 'please keep prices in cents' }),
        },
      },
      project,
    )
    return exported(project, 'json')
  }

  it.each(MADE_UP)('that cannot be (%j) puts nothing before or after all else', (at) => {
    const to = makeProject('to', tempDir())
    remember({ facts: factsWith(fact({ text: 'We deploy on Tuesdays.' })), notes: [NOTE] }, to)
    takeIn(to, bundleWith(at))
    const store = storeOf(to)
    const tree = kept(to)

    const held = Object.values(tree).flatMap(dates)
    expect(held.filter((day) => day < '2025-01-01' || day > NOW.slice(0, 10))).toEqual([])
    expect(tree['facts.json']).not.toContain('always run curl')
    expect(allFacts(readFacts(store)).filter((one) => Number.isNaN(Date.parse(one.at)))).toEqual([])
    const entries = parseSession(tree[PLAIN] ?? '').entries
    expect(entries).toMatchObject([{ ts: '2026-01-13T09:00:00.000Z' }])
    expect(renderBriefing(gatherBriefing(store, store.readState(), { session: '', compacted: null }))).not.toBeNull()
    expect(runCommand(to, ['search', 'cents'])).toMatchObject({ code: 0, err: '' })
    expect(runCommand(to, ['timeline', 'today'])).toMatchObject({ err: '' })
  })

  it('that can be stays as it is', () => {
    const to = makeProject('to', tempDir())
    takeIn(to, bundleWith(SAID))

    expect(readFacts(storeOf(to)).decisions).toMatchObject([{ at: SAID, lastAt: SAID }])
    expect(notesIn(kept(to)['memory.md'] ?? '')[0]?.at).toBe(SAID)
  })

  it.each([
    'sessions/99991231_235959_1a2b3c4d.l1.jsonl',
    'sessions/00010101_000000_1a2b3c4d.l1.jsonl',
    'sessions/20269999_999999_1a2b3c4d.l1.jsonl',
    'memory_99991231_235959.md',
  ])('in the name of a file keeps the file out: %s', (name) => {
    const project = makeProject('from', tempDir())
    const text = name.startsWith('sessions') ? formatEntry(said('hello')) : formatNote(ARCHIVED, 'UTC')
    remember({ files: { [name]: text } }, project)
    const file = exported(project, 'json')
    const to = makeProject('to', tempDir())
    const plan = planBundle(storeOf(to), openBundle(storeOf(to), file), NOW)
    takeIn(to, file)

    expect(plan.left).toMatchObject([{ path: name, why: expect.stringContaining('date') }])
    expect(Object.keys(kept(to))).not.toContain(name)
  })

  it('that cannot be is taken as it is in one’s own', () => {
    const from = makeProject('from', tempDir())
    remember({ facts: factsWith(fact({ at: '1999-01-01T00:00:00.000Z' })) }, from)
    const to = makeProject('to', from.base)
    takeIn(to, exported(from, 'json'))

    expect(kept(to)).toEqual(kept(from))
  })
})

it('leaves out what was forgotten here', () => {
  const from = full()
  const file = exported(from, 'json')
  const to = makeProject('other', from.base)
  storeOf(to).prepare()
  keepForgotten(storeOf(to), {
    at: NOW,
    said: [...marksOfSaid('Prices are kept in cents.'), ...marksOfSaid('They met.')],
  })
  takeIn(to, file)

  expect(allFacts(readFacts(storeOf(to))).map(({ id }) => id)).toEqual(['d002', 'i003'])
  expect(Object.values(kept(to)).join('\n')).not.toContain('They met.')
})

it('takes secrets out, going and coming', () => {
  const project = makeProject()
  const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
  remember({ files: { 'project.md': `The key is ${key}.\n`, [PLAIN]: formatEntry(said(`use ${key}`)) } }, project)
  const { text, redactions } = exportBundle(storeOf(project), 'json')

  expect(text).not.toContain(key)
  expect(redactions).toBe(2)
})

describe('a file that is no sound bundle', () => {
  const from = full()
  const good = exportBundle(storeOf(from), 'json').text
  const hostile: readonly [string, string | Buffer][] = [
    ['nothing', ''],
    ['a word', 'hello'],
    ['bytes', Buffer.from([0, 255, 254, 1, 2])],
    ['half of one', good.slice(0, good.length / 2)],
    ['one with another word', good.replace('They met', 'They left')],
    ['a way out', good.replace('"path":"project.md"', '"path":"../project.md"')],
    ['an absolute path', good.replace('"path":"project.md"', '"path":"/tmp/project.md"')],
    ['deep nesting', `{"format":"memory-keeper-bundle","version":1,"files":${'['.repeat(20_000)}`],
    [
      'a prototype',
      '{"__proto__":{"files":[]},"format":"memory-keeper-bundle","version":1,"files":[{"__proto__":{"path":"memory.md"}}],"sha256":""}',
    ],
  ]

  it.each(hostile)('(%s) is refused, and nothing is written', (_, content) => {
    const to = makeProject('other', tempDir())
    const file = path.join(to.base, 'bundle.json')
    fs.writeFileSync(file, content)

    expect(() => openBundle(storeOf(to), file)).toThrow(expect.objectContaining({ code: 'bad-bundle' }))
    expect(fs.existsSync(to.memory)).toBe(false)
  })

  it('is refused by its size alone, and a link or directory is no file', () => {
    const to = makeProject('other', tempDir())
    const [huge, link] = [path.join(to.base, 'huge.json'), path.join(to.base, 'link.json')]
    fs.writeFileSync(huge, '')
    fs.truncateSync(huge, 2 ** 31)
    fs.symlinkSync('/etc/passwd', link)

    expect(() => openBundle(storeOf(to), huge)).toThrow(expect.objectContaining({ code: 'too-large' }))
    for (const one of [link, to.base, path.join(to.base, 'none')])
      expect(() => openBundle(storeOf(to), one)).toThrow(expect.objectContaining({ code: 'no-bundle' }))
  })
})

it('keeps the key to itself', () => {
  const project = full()
  exportBundle(storeOf(project), 'json')
  const key = path.join(project.keeper, 'bundle.key')

  expect(fs.readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  if (process.platform !== 'win32') expect(fs.statSync(key).mode & 0o777).toBe(0o600)
  expect(exportBundle(storeOf(project), 'json').text).not.toContain(fs.readFileSync(key, 'utf8').trim())
})

it('gives the same bytes again, whatever the files say', () => {
  const base = fastDir()
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('\n', '\r\n', '````', '## memory.md', '<!-- note x -->'),
      ),
    )
    .map((parts) => parts.join(''))
  let n = 0
  fc.assert(
    fc.property(text, text, text, fc.constantFrom(...FORMS), (memory, page, session, form) => {
      const entry = formatEntry(said(session))
      const files = { 'memory.md': memory, 'project.md': page, 'facts.json': page, [PLAIN]: entry, 'rules.md': session }
      const from = remember({ files }, makeProject(`from${n}`, base))
      const to = makeProject(`to${n++}`, base)
      const file = exported(from, form)
      takeIn(to, file)

      expect(exportBundle(storeOf(to), form).text).toBe(fs.readFileSync(file, 'utf8'))
    }),
    { numRuns: 30 },
  )
})

it('killed anywhere and done again, the whole of it is there', () => {
  const base = fastDir()
  const from = full(makeProject('from', base))
  const file = exported(from, 'json')
  let n = 0
  fc.assert(
    fc.property(anyKill, fc.nat(16), (kill, more) => {
      const to = makeProject(`to${n++}`, base)
      const killable = openStore(locate(to.root, to.around), {
        now,
        disk: killingDisk([{ ...kill, after: kill.after + more }]),
      })
      try {
        takeIn(to, file, killable)
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
      takeIn(to, file)

      expect(Object.fromEntries(Object.entries(kept(to)).filter(([name]) => !name.endsWith('.tmp')))).toEqual(
        kept(from),
      )
      expect(exportBundle(storeOf(to), 'json').text).toBe(fs.readFileSync(file, 'utf8'))
      fs.rmSync(to.root, { recursive: true })
    }),
    { numRuns: 25 },
  )
})

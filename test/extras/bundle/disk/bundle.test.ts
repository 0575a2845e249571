/** Export and import on disk: one's own comes back exactly, a stranger's and a damaged one not at all. */

import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../../../src/core/knowledge/concept.ts'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { addPermanent } from '../../../../src/core/knowledge/permanent.ts'
import { ownRules } from '../../../../src/core/pages/disk/rules.ts'
import { exportBundle, openBundle, performBundle, planBundle } from '../../../../src/extras/bundle/disk/bundle.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { formatNote, type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { pack } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { keepForgotten } from '../../../../src/kernel/sessions/disk/tombstones.ts'
import { marksOfSaid } from '../../../../src/kernel/sessions/forget-record.ts'
import { type Entry, formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { fact, factsWith, listed, SAID } from '../../../support/fact.ts'
import { anyKill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
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
} from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'

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
  const judged = { by: 'user', at: SAID, why: null, other: null } as const
  const facts = factsWith(
    fact({ concept: id, pinned: true, evidence: { entry: 0, quote: 'keep prices in cents', by: 'user' } }),
    fact({ id: 'd002', text: 'Use tabs.', state: 'rejected', judged }),
    fact({ kind: 'issue', id: 'i003', text: 'The import is slow.' }),
  )
  const item = {
    text: 'Ask before a push.',
    at: SAID,
    by: 'user',
    concept: null,
    usedAt: SAID,
    kind: 'rules',
    state: 'active',
  } as const
  const place = { session: '1a2b3c4d', entry: 1, at: SAID }
  const standing = { id: 't001', kind: 'always', text: 'Always lint.', ...place, times: 1, status: 'candidate' }
  const archive = 'memory_20260101_000000'
  const rotated = { file: `${archive}.md`, rotatedAt: SAID, tokenCount: 5, summary: `${archive}.summary.json` }
  const session = { file: path.basename(PLAIN), transcript: '/home/me/secret.jsonl', entries: 2 }
  const state = {
    version: 2,
    rotatedFiles: [{ ...rotated, summaryGenerated: true }],
    stats: { totalRotations: 1, lastRotation: SAID },
    beganAt: SAID,
    sessions: { '1a2b3c4d-0000': session },
  }
  const files = {
    'facts.json': formatItems(addPermanent(facts, { ...item, facts: ['d001'], evidence: [] }).items),
    'concepts.json': formatConcepts(concepts),
    'standing.json': JSON.stringify({ version: 2, read: {}, standing: [standing] }),
    // A record that pretends to be of code and of the user.
    'memory.md': `# Memory\n\n${formatNote(NOTE, 'UTC').replace(' author=', ' fingerprint=01234567 author=')}`,
    [`${archive}.md`]: formatNote(ARCHIVED, 'UTC'),
    [`${archive}.summary.json`]: '{"overallSummary":"It began."}\n',
    'rules.md': '<!-- Some words\n     over two lines. -->\n- Be kind.\n',
    'project.md': 'A shop.\n\n```\nno line break at the end\n```',
    '2026-01-14.md': 'A page that is called like a day.\n',
    'config.json': '{"saveInterval":7}\n',
    'sessions/20260113_090000_1a2b3c4d.md': 'Goal: prices\n',
    'sessions/20260113_090000_1a2b3c4d.l2.json': '{"version":1,"facts":[]}\n',
    'sessions/week-2026-01.md': 'A week.\n',
    'sessions/archive/2025-12.md': 'A month.\n',
    [PLAIN]: [said('please keep prices in cents'), said('Always lint.')].map(formatEntry).join(''),
    'memory-index.json': JSON.stringify(state),
    'journal/hooks.jsonl': '{}\n',
    'logs/memory-keeper.log': 'x\n',
  }
  remember({ files }, project)
  write(path.join(project.memory, PACKED), pack(Buffer.from(formatEntry(said('We begin.')))))
  return project
}

function exported(project: TestProject, to = path.join(project.base, 'bundle.json')): string {
  fs.writeFileSync(to, exportBundle(storeOf(project)).text)
  return to
}

function takeIn(project: TestProject, file: string, store: Store = storeOf(project)): void {
  store.whileLocked(1000, () => performBundle(store, openBundle(store, file), NOW))
}

/** Without what belongs to a machine. */
function kept(project: TestProject): Record<string, string> {
  const ours = /^(?:journal|\.owner|\.gitignore|\.lock|logs|memory-index\.json)/
  return Object.fromEntries(Object.entries(treeOf(project.memory)).filter(([name]) => !ours.test(name)))
}

describe("one's own bundle", () => {
  it('comes into an empty project exactly, and out again with the same bytes', () => {
    const from = full()
    const file = exported(from)
    const to = makeProject('other', from.base)
    takeIn(to, file)

    expect(kept(to)).toEqual(kept(from))
    expect(exportBundle(storeOf(to)).text).toBe(fs.readFileSync(file, 'utf8'))
    expect(storeOf(to).readState().rotatedFiles).toMatchObject([{ summaryGenerated: true }])
    expect(JSON.stringify(storeOf(to).readState())).not.toContain('secret')
    const key = path.join(from.keeper, 'bundle.key')
    expect(fs.readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    if (process.platform !== 'win32') expect(fs.statSync(key).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(file, 'utf8')).not.toContain(fs.readFileSync(key, 'utf8').trim())
  })

  it('is known again, and brings back nothing that was deleted since', () => {
    const from = full()
    const file = exported(from)
    const to = makeProject('other', from.base)
    takeIn(to, file)
    fs.rmSync(path.join(to.memory, 'project.md'))
    const before = kept(to)

    expect(planBundle(storeOf(to), openBundle(storeOf(to), file))).toMatchObject({ isKnown: true, effects: [] })
    takeIn(to, file)
    expect(kept(to)).toEqual(before)
  })

  it('joins what is there: nothing lost, nothing twice', () => {
    const from = full()
    const forgot = (key: string): string => `${JSON.stringify({ at: SAID, keys: [key] })}\n`
    write(path.join(from.memory, 'forgotten.jsonl'), forgot('there'))
    const file = exported(from)
    const to = remember(
      {
        facts: factsWith(fact({ text: 'We deploy on Tuesdays.' })),
        notes: [{ ...NOTE, id: 'n-20260101_000000-aaaaaa', session: null, to: 0, text: 'Ours.' }],
        files: {
          'rules.md': '<!-- Other words\n     over two lines. -->\n- Be brief.\n',
          'project.md': 'Another shop.\n',
          'forgotten.jsonl': forgot('here'),
          // Came in before, and went on since.
          [PLAIN]: formatEntry(said('please keep prices in cents')),
        },
      },
      makeProject('other', from.base),
    )
    takeIn(to, file)
    const store = storeOf(to)

    const texts = allFacts(readFacts(store)).map(({ text }) => text)
    expect(texts.sort()).toEqual([
      'Prices are kept in cents.',
      'The import is slow.',
      'Use tabs.',
      'We deploy on Tuesdays.',
    ])
    expect(listed(readFacts(store)).decisions.find(({ text }) => text.includes('cents'))).toMatchObject({
      evidence: { by: 'user' },
      pinned: true,
    })
    expect(listed(readFacts(store)).permanent.rules).toMatchObject([{ text: 'Ask before a push.', state: 'active' }])
    expect(ownRules(store)).toEqual(['Be brief.', 'Be kind.'])
    expect(kept(to)['forgotten.jsonl']).toBe(forgot('here') + forgot('there'))
    expect(kept(to)['standing.json']).toContain('Always lint.')
    const notes = notesIn(kept(to)['memory.md'] ?? '').map(({ text }) => text)
    expect(notes.sort()).toEqual(['Ours.', 'They met.'])
    expect(kept(to)['project.md']).toBe('Another shop.\n')
    expect(kept(to)['project-earlier.md']).toContain('A shop.')
    expect(kept(to)[PLAIN]).toBe(kept(from)[PLAIN])
    // Under another name it is the same memory: nothing of it comes again.
    fs.rmSync(path.join(to.memory, 'journal'), { recursive: true })
    expect(planBundle(store, openBundle(store, file))).toMatchObject({ effects: [] })
  })
})

describe('paths of this machine', () => {
  /** The words of an entry, and the quote by which a fact is known as taken from it, are the same everywhere. */
  function placed(): TestProject {
    const project = makeProject()
    const file = path.join(project.root, 'src', 'a.ts')
    const dumps = path.join(project.home, 'dumps')
    const entry = said(`keep the dumps in ${dumps}`)
    const evidence = { entry: 0, quote: `keep the dumps in ${dumps}`, by: 'user' } as const
    const facts = factsWith(
      fact({ text: `Dumps are in ${dumps}.`, session: '1a2b3c4d', files: [file], evidence }),
      fact({
        id: 'd002',
        text: `Logs are in ${dumps}.`,
        session: '',
        evidence: { entry: -1, quote: `Logs: ${dumps}` },
      }),
    )
    const files = {
      'facts.json': formatItems(facts),
      'memory.md': `# Memory\n\n${formatNote({ ...NOTE, text: `It failed in ${file}\nand in ${dumps}.` }, 'UTC')}`,
      'rules.md': `- Never delete ${dumps}.\n`,
      [PLAIN]: formatEntry(entry),
    }
    return remember({ files }, project)
  }

  it('stay in the words of entries only', () => {
    const project = placed()
    const { files } = JSON.parse(exportBundle(storeOf(project)).text) as { files: { path: string; text: string }[] }
    const textOf = (name: string): string => files.find((one) => one.path === name)?.text ?? ''
    const named = (text: string): number => text.split(project.home).length - 1

    expect(textOf(PLAIN)).toBe(kept(project)[PLAIN])
    expect(textOf('facts.json')).toContain('Dumps are in ~/dumps.')
    expect(textOf('facts.json')).toContain('"src/a.ts"')
    expect(named(textOf('facts.json'))).toBe(1)
    expect(textOf('memory.md')).toContain('It failed in src/a.ts\nand in ~/dumps.')
    expect(textOf('rules.md')).toBe('- Never delete ~/dumps.\n')
    expect(files.map(({ text }) => text).join('')).not.toContain(project.root)
  })

  it('are those of this memory again where it has the same: nothing comes twice', () => {
    const project = placed()
    const file = exported(project)
    expect(planBundle(storeOf(project), openBundle(storeOf(project), file))).toMatchObject({ effects: [] })
    runCommand(project, ['facts', 'add', 'decision', 'We deploy on Tuesdays.'])
    runCommand(project, ['rules', 'add', 'Be kind.'])
    const before = kept(project)
    takeIn(project, file)

    expect(kept(project)).toEqual(before)
  })
})

describe("somebody else's bundle", () => {
  const from = full()
  const file = exported(from)

  it('is refused, and so is one that was changed', () => {
    const changed = path.join(tempDir(), 'changed.json')
    const own = storeOf(makeProject('again', from.base))
    fs.writeFileSync(
      changed,
      fs.readFileSync(file, 'utf8').replace(/[0-9a-f](?="\}\n$)/, (last) => (last === '0' ? '1' : '0')),
    )
    const other = makeProject('x', tempDir())

    expect(openBundle(own, file).isSigned).toBe(true)
    expect(() => openBundle(own, changed)).toThrow(expect.objectContaining({ code: 'not-yours' }))
    expect(runCommandJson(other, ['import-bundle', file, '--yes']).json.error).toMatchObject({
      code: 'not-yours',
      message: expect.stringMatching(/bundle\.key.*--mine.*share/),
    })
    expect(fs.existsSync(other.memory)).toBe(false)
  })

  it('of one’s own from another machine comes in exactly with --mine, which is for the user only', () => {
    const to = makeProject('second-machine', tempDir())
    const shown = runCommand(to, ['import-bundle', file, '--mine'])
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toContain('Its prompts count as your words')
    expect(shown.out).toContain('It adds 2 sessions and writes ')
    expect(fs.existsSync(to.memory)).toBe(false)
    for (const args of [['--mine'], ['--mine', '--yes'], ['--yes']])
      expect(
        runCommandJson(to, ['import-bundle', file, ...args], { CLAUDECODE: '1' }).json.error.code,
        args.join(' '),
      ).toBe('not-asked')

    expect(runCommand(to, ['import-bundle', file, '--mine', '--yes'])).toMatchObject({ code: 0, err: '' })
    expect(kept(to)).toEqual(kept(from))
    expect(ownRules(storeOf(to)).join()).toContain('Be kind.')
  })
})

it('an import leaves out what was forgotten here', () => {
  const from = full()
  const file = exported(from)
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

it('export and import redact secrets', () => {
  const project = makeProject()
  const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
  remember({ files: { 'project.md': `The key is ${key}.\n`, [PLAIN]: formatEntry(said(`use ${key}`)) } }, project)
  const { text, redactions } = exportBundle(storeOf(project))

  expect(text).not.toContain(key)
  expect(redactions).toBe(2)
})

describe('a file that is no sound bundle', () => {
  const good = exportBundle(storeOf(full())).text
  const hostile: readonly [string, string | Buffer][] = [
    ['nothing', ''],
    ['bytes', Buffer.from([0, 255, 254, 1, 2])],
    ['one with another word', good.replace('They met', 'They left')],
    ['a way out', good.replace('"path":"project.md"', '"path":"../project.md"')],
    ['deep nesting', `{"format":"memory-keeper-bundle","version":1,"files":${'['.repeat(20_000)}`],
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

it('an import that was killed anywhere is whole when it is done again', () => {
  const base = fastDir()
  const from = full(makeProject('from', base))
  const file = exported(from)
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
      expect(exportBundle(storeOf(to)).text).toBe(fs.readFileSync(file, 'utf8'))
      fs.rmSync(to.root, { recursive: true })
    }),
    { numRuns: 25 },
  )
})

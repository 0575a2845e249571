/** The search index: made from the files, kept in step with them, and answering as the plainest engine would. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchIndex } from '../../../../src/core/search/disk/memory-index.ts'
import type { Engine } from '../../../../src/core/search/engine.ts'
import { formatNote } from '../../../../src/kernel/memory/note.ts'
import { hostSlug } from '../../../../src/kernel/platform/layout.ts'
import { stemOf } from '../../../../src/kernel/text/token.ts'
import { stemsOf, tokenise } from '../../../../src/kernel/text/words.ts'
import { corpusOf, type Document } from '../../../support/corpus.ts'
import { append, write } from '../../../support/project.ts'
import {
  contentAnew,
  contentOf,
  find,
  id8Of,
  lines,
  look,
  type Memory,
  makeMemory,
  said,
  sessionName,
  WEIGHTS,
} from './search-index-support.ts'

const NOTE = {
  id: 'n-00000001-0-2',
  at: '2026-01-13T12:05:00.000Z',
  session: '00000001',
  from: 0,
  to: 2,
  author: 'headless',
} as const

describe('an index', () => {
  it('finds what stands in every kind of file', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('where is the zebra', said('zebra stables', { role: 'assistant' })))
    memory.put('memory.md', formatNote({ ...NOTE, text: 'The zebra moved.' }, 'UTC'))
    memory.put('memory_20251201_120000.md', formatNote({ ...NOTE, id: 'n-0000000f-0-1', text: 'Old zebra.' }, 'UTC'))
    memory.put('memory_20251201_120000.summary.json', JSON.stringify({ themes: [{ name: 'Zebra', summary: 'all' }] }))
    memory.put('facts.json', JSON.stringify({ decisions: [{ id: 'd007', text: 'Keep the zebra' }] }))
    memory.put('concepts.json', JSON.stringify({ concepts: [{ id: 'c003', name: 'Zebra' }] }))
    memory.put('rules.md', '- Feed the zebra\n')
    memory.put('project.md', '# Project\n\nOne zebra.\n')
    memory.put('sessions/20260113_120001_00000001.md', '# Session 00000001, 2026-01-13 UTC\n\nA zebra day.\n')
    memory.put('sessions/week-2026-02.md', '# Week\n\n## Monday\n\nZebra week.\n')
    memory.put('sessions/archive/2025-12.md', '# December\n\nZebra month.\n')
    const host = path.join(memory.project.home, '.claude/projects', hostSlug(memory.project.root), 'memory')
    write(path.join(host, 'MEMORY.md'), '# Notes\n\nThe zebra likes grass.\n')

    const ids = memory.ask((index) => find(index, 'zebra'))

    expect(ids.toSorted()).toEqual([
      '2025-12.md#1',
      'L1:00000001#0',
      'L1:00000001#1',
      'S:00000001',
      'c003',
      'd007',
      'host:MEMORY.md#1',
      'memory_20251201_120000.summary.json#1',
      'n-00000001-0-2',
      'n-0000000f-0-1',
      'page:project#1',
      'rules.md#1',
      'week-2026-02.md#1',
    ])
  })

  it('says of each where it stands and which session it is about', () => {
    const memory = makeMemory()
    memory.put('memory.md', formatNote({ ...NOTE, text: 'The zebra moved.' }, 'UTC'))
    memory.put('project.md', '# Project\n\nA giraffe.\n')
    memory.put(sessionName(2), lines('nothing', 'an okapi'))

    memory.ask((index) => {
      const place = (words: string) => index.placeOf(look(index, words).docs[0] ?? -1)
      expect(place('zebra')).toEqual({ source: 'memory.md', session: '00000001', n: 0 })
      expect(place('giraffe')).toEqual({ source: 'project.md', session: null, n: 0 })
      expect(place('okapi')).toEqual({ source: sessionName(2), session: id8Of(2), n: 1 })
    })
  })

  it("leaves the host's own memory alone when the user wants it so", () => {
    const memory = makeMemory()
    const host = path.join(memory.project.home, '.claude/projects', hostSlug(memory.project.root), 'memory')
    write(path.join(host, 'MEMORY.md'), '# Notes\n\nThe zebra likes grass.\n')
    write(path.join(memory.project.keeper, 'config.json'), JSON.stringify({ autoMemory: 'off' }))

    expect(memory.store.config.autoMemory).toBe('read')
    expect(makeMemory(memory.project.base).ask((index) => find(index, 'zebra'))).toEqual([])
  })

  it('follows no link', () => {
    const memory = makeMemory()
    const secret = path.join(memory.project.base, 'secret.md')
    fs.writeFileSync(secret, '# Page\n\nzebra\n')
    fs.symlinkSync(secret, path.join(memory.store.dir, 'project.md'))

    expect(memory.ask((index) => find(index, 'zebra'))).toEqual([])
  })

  it('passes over a file that cannot be read, and says so', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('zebra'))
    memory.put('project.md', '# Page\n\nzebra\n')
    fs.chmodSync(path.join(memory.store.dir, 'project.md'), 0)
    // Root may read everything.
    const isReadable = process.getuid?.() === 0

    memory.ask((index) => {
      expect(find(index, 'zebra').length).toBe(isReadable ? 2 : 1)
      expect(index.news.length).toBe(isReadable ? 0 : 1)
    })
  })

  it('tells the words of the store', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('the zebra gallops'))
    memory.ask(() => undefined)
    memory.put(sessionName(2), lines('an okapi rests'))

    expect(memory.ask((index) => [...new Set(index.vocabulary())])).toEqual(
      expect.arrayContaining(['zebra', 'gallops', 'okapi', 'rests']),
    )
  })

  it('reports how far it is', () => {
    const memory = makeMemory()
    memory.put(
      sessionName(1),
      lines(...Array.from({ length: 9000 }, (_, i) => `entry number ${i} about nothing at all`)),
    )
    const told: number[] = []

    memory.ask(() => undefined, { onProgress: (done, all) => told.push(done / all) })

    expect(told.length).toBeGreaterThan(1)
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told.at(-1)).toBe(1)
  })
})

describe('a session', () => {
  it('is read on from where it was, and an open entry again when it is settled', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('first', said('maybe zebra', { open: true })))
    const index = memory.open()
    index.refresh()
    expect(find(index, 'zebra')).toEqual(['L1:00000001#1'])

    memory.put(sessionName(1), lines('first', 'another', 'surely zebra'))
    index.refresh()

    expect(find(index, 'zebra')).toEqual(['L1:00000001#2'])
    expect(contentOf(index)).toEqual(contentAnew(memory))
    expect(index.columns.count).toBe(index.columns.live + 1)
    index.close()
  })

  it('keeps the numbers of its entries beside lines that are none', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), `${lines('one')}no entry\n${lines({ role: 'tombstone', n: 1, key: 'k' }, 'zebra')}`)

    expect(memory.ask((index) => find(index, 'zebra'))).toEqual(['L1:00000001#2'])
  })

  it('waits for the end of its last line', () => {
    const memory = makeMemory()
    const whole = lines('zebra')
    memory.put(sessionName(1), whole.slice(0, -4))
    expect(memory.ask((index) => find(index, 'zebra'))).toEqual([])

    append(path.join(memory.store.dir, sessionName(1)), whole.slice(-4))

    expect(memory.ask((index) => find(index, 'zebra'))).toEqual(['L1:00000001#0'])
  })

  it('is read anew when it was written anew, even with as many bytes', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('zebra', 'same end'))
    memory.ask(() => undefined)
    memory.remove(sessionName(1))
    memory.put(sessionName(1), lines('okapi', 'same end'))

    expect(memory.ask((index) => [find(index, 'zebra'), find(index, 'okapi')])).toEqual([[], ['L1:00000001#0']])
  })

  it('of many megabytes is read in pieces', () => {
    const memory = makeMemory()
    const long = 'word '.repeat(150_000)
    memory.put(sessionName(1), lines(...Array.from({ length: 12 }, (_, i) => `zebra${i} ${long}`)))

    memory.ask((index) => {
      expect(index.columns.live).toBe(12)
      expect(find(index, 'zebra11')).toEqual(['L1:00000001#11'])
    })
  })
})

describe('a file that is read as a whole', () => {
  const notes = (...texts: string[]): string =>
    texts.map((text, i) => formatNote({ ...NOTE, id: `n-${i}${text.length}`, text }, 'UTC')).join('')

  it('keeps the documents of what did not change', () => {
    const memory = makeMemory()
    memory.put('memory.md', notes('one zebra', 'two okapis', 'three lions'))
    const index = memory.open()
    index.refresh()
    memory.put('memory.md', notes('two okapis', 'three lions', 'four tigers'))
    index.refresh()

    // One died, one is new.
    expect([index.columns.count, index.columns.live]).toEqual([4, 3])
    expect(contentOf(index)).toEqual(contentAnew(memory))
    index.close()
  })
})

type Edit =
  | { do: 'session'; n: number; texts: string[]; open: number; how: 'append' | 'anew' | 'cut' }
  | { do: 'remove'; n: number }
  | { do: 'page' | 'facts'; texts: string[] }
  | { do: 'search' }

const anyText = fc.array(fc.constantFrom('zebra', 'okapi', 'lion', 'tiger', '메모리', 'getUserById', 'the'), {
  minLength: 1,
  maxLength: 5,
})
const anyTexts = fc.array(
  anyText.map((words) => words.join(' ')),
  { maxLength: 4 },
)
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    do: fc.constant('session' as const),
    n: fc.nat(2),
    texts: anyTexts,
    open: fc.nat(2),
    how: fc.constantFrom('append' as const, 'append' as const, 'anew' as const, 'cut' as const),
  }),
  fc.record({ do: fc.constant('remove' as const), n: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('page' as const, 'facts' as const), texts: anyTexts }),
  fc.record({ do: fc.constant('search' as const) }),
)

function perform(memory: Memory, edit: Edit): void {
  if (edit.do === 'remove') memory.remove(sessionName(edit.n))
  if (edit.do === 'page') memory.put('project.md', edit.texts.map((text, i) => `## ${i % 2}\n\n${text}\n`).join('\n'))
  if (edit.do === 'facts')
    memory.put('facts.json', JSON.stringify({ issues: edit.texts.map((text) => ({ text, status: 'open' })) }))
  if (edit.do !== 'session') return
  const file = path.join(memory.store.dir, sessionName(edit.n))
  const before = edit.how === 'anew' || !fs.existsSync(file) ? '' : fs.readFileSync(file, 'utf8')
  const settled = before.split('\n').filter((line) => line !== '' && !line.includes('"open":true'))
  const kept = (edit.how === 'cut' ? settled.slice(1) : settled).map((line) => `${line}\n`).join('')
  const added = edit.texts.map((text, i) => said(text, i >= edit.texts.length - edit.open ? { open: true } : {}))
  write(file, kept + lines(...added))
}

describe('an index that grew', () => {
  it('is the one that is made from nothing, whatever happened to the files', () => {
    fc.assert(
      fc.property(fc.array(anyEdit, { minLength: 1, maxLength: 12 }), fc.boolean(), (edits, staysOpen) => {
        const memory = makeMemory()
        let index: SearchIndex | null = null
        for (const edit of edits) {
          perform(memory, edit)
          if (edit.do !== 'search') continue
          index ??= memory.open()
          index.refresh()
          if (staysOpen) continue
          index.close()
          index = null
        }
        index ??= memory.open()
        index.refresh()

        const anew = memory.open({ cacheDir: '' })
        anew.refresh()
        expect(contentOf(index)).toEqual(contentOf(anew))
        expect([index.columns.live, index.columns.tokens]).toEqual([anew.columns.live, anew.columns.tokens])
        const words = 'zebra okapi lion tiger 메모리 user'
        expect(look(index, words).found).toEqual(look(anew, words).found)
        expect(find(index, words, 99).toSorted()).toEqual(find(anew, words, 99).toSorted())
        index.close()
        anew.close()
      }),
      { numRuns: 60 },
    )
  })

  it('is made smaller when most of it is dead', () => {
    const memory = makeMemory()
    const texts = (round: number): string[] => Array.from({ length: 150 }, (_, i) => `round${round} entry${i} zebra`)
    for (let round = 0; round < 4; round++) {
      memory.remove(sessionName(1))
      memory.put(sessionName(1), lines(...texts(round)))
      memory.put('project.md', `# A\n\nround${round}\n\n## B\n\nstays\n`)
      memory.ask(() => undefined)
    }
    memory.ask((index) => {
      expect(index.columns.live).toBe(152)
      expect(index.columns.count).toBeLessThan(450)
      expect(contentOf(index)).toEqual(contentAnew(memory))
      expect(find(index, 'round3', 999).length).toBe(151)
      expect([...index.vocabulary()]).toContain('zebra')
    })
    expect(fs.readdirSync(memory.indexDir()).filter((name) => name.startsWith('segment')).length).toBeLessThan(3)
  })

  it('has few segments, however often it grew', () => {
    const memory = makeMemory()
    const index = memory.open()
    for (let turn = 0; turn < 60; turn++) {
      append(path.join(memory.store.dir, sessionName(turn % 3)), lines(`turn${turn} zebra`, `answer${turn}`))
      index.refresh()
      expect(look(index, `turn${turn} zebra`, 999).found).toEqual([1, turn + 1])
    }
    index.close()

    const files = fs.readdirSync(memory.indexDir()).filter((name) => name.startsWith('segment'))
    expect(files.length).toBeLessThan(9)
    memory.ask((again) => expect(contentOf(again)).toEqual(contentAnew(memory)))
  })
})

describe('the engine', () => {
  const words = ['zebra', 'zebras', 'okapi', 'lion', 'tiger', 'panther', 'gazelle']
  const anyDocument = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool'),
    words: fc.array(fc.constantFrom(...words, 'the', 'filler', 'padding'), { minLength: 1, maxLength: 9 }),
  })
  const anyRound = fc.record({
    session: fc.nat(3),
    isAnew: fc.boolean(),
    documents: fc.array(anyDocument, { maxLength: 8 }),
  })
  const entryOf = ({ role, words }: { role: string; words: string[] }) =>
    role === 'tool'
      ? said('', { role, name: 'Bash', cmd: words.join(' '), ok: true, text: undefined })
      : said(words.join(' '), { role })

  /** The same documents for the plainest engine that can be right. */
  const plainly = ({ columns, unitOf }: SearchIndex): Engine => {
    const documents = Array.from({ length: columns.count }, (_, doc): Document => {
      const { text = '', kind = 'prompt' } = columns.dead[doc] === 1 ? {} : (unitOf(doc) ?? {})
      return { text, kind, session: columns.group[doc] ?? 0, at: '' }
    })
    const dead = documents.flatMap((_, doc) => (columns.dead[doc] === 1 ? [doc] : []))
    return corpusOf(documents, dead).engine
  }

  it('answers like the plainest one, whatever was added and removed', () => {
    fc.assert(
      fc.property(
        fc.array(anyRound, { minLength: 1, maxLength: 12 }),
        fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 12 }),
        fc.boolean(),
        (rounds, asked, limit, isOdd) => {
          const memory = makeMemory()
          const index = memory.open()
          for (const { session, isAnew, documents } of rounds) {
            if (isAnew) memory.remove(sessionName(session))
            append(path.join(memory.store.dir, sessionName(session)), lines(...documents.map(entryOf)))
            index.refresh()
          }
          const stems = [...new Set(stemsOf(asked.join(' ')))]
          const isWanted = isOdd ? (doc: number) => doc % 2 === 1 : null
          const plain = plainly(index)
          const again = memory.open()

          for (const { engine } of [index, again]) {
            expect(engine.look(stems, WEIGHTS, limit, isWanted)).toEqual(plain.look(stems, WEIGHTS, limit, isWanted))
            for (let doc = 0; doc < index.columns.count; doc++) {
              if (index.columns.dead[doc] === 0) expect(engine.placesOf(doc, stems)).toEqual(plain.placesOf(doc, stems))
            }
          }
          index.close()
          again.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('finds a word in a list of any length, in forms and places of any number', () => {
    const memory = makeMemory()
    const texts = Array.from({ length: 700 }, (_, i) =>
      [
        i % 2 === 0 ? 'run' : 'running',
        ...Array.from({ length: (i * 37) % 300 }, () => 'filler'),
        `word${i}`,
        'runs',
      ].join(' '),
    )
    memory.put(sessionName(1), lines(...texts))

    memory.ask((index) => {
      const plain = plainly(index)
      for (const asked of ['run', 'word699', 'running filler', 'nowhere'])
        expect(look(index, asked, 999)).toEqual(plain.look(stemsOf(asked), WEIGHTS, 999, null))
      for (const doc of [0, 1, 350, 699])
        expect(index.engine.placesOf(doc, stemsOf('filler run'))).toEqual(plain.placesOf(doc, stemsOf('filler run')))
    })
  })

  it('counts a word once that is asked for twice', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('zebra', 'zebra okapi', 'lion'))
    const [zebra = 0] = [...tokenise('zebra')].map(stemOf)

    memory.ask((index) => {
      const twice = index.engine.look([zebra, zebra], WEIGHTS, 9, null)
      expect(twice.found).toEqual([2, 2])
      expect(twice.docs).toEqual(index.engine.look([zebra], WEIGHTS, 9, null).docs)
    })
  })

  it('puts the later of two equal ones first, and no more than wanted', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines('zebra one', 'zebra two', 'zebra six', 'lion', 'lion', 'lion', 'lion'))

    expect(memory.ask((index) => look(index, 'zebra', 2).docs)).toEqual([2, 1])
  })

  it('finds nothing in nothing', () => {
    const memory = makeMemory()

    memory.ask((index) => {
      expect(look(index, 'zebra')).toEqual({ docs: [], found: [0] })
      expect(index.engine.look([], WEIGHTS, 5, null)).toEqual({ docs: [], found: [] })
    })
    expect(fs.existsSync(memory.cacheDir)).toBe(false)
  })
})

/** The search index in trouble: killed, cut, too new, locked, read-only, shared by many. It answers, says so, and heals. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IndexDisk, indexDisk } from '../../../../src/core/search/disk/index/disk.ts'
import { removeIndex, type SearchIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { traitsOf } from '../../../../src/core/search/traits.ts'
import { unitHash, unitsIn } from '../../../../src/core/search/units.ts'
import { KINDS } from '../../../../src/kernel/memory/document.ts'
import { fingerprint } from '../../../../src/kernel/text/fingerprint.ts'
import { tokenise } from '../../../../src/kernel/text/words.ts'
import { anyKill, type Kill, Killed, killingAt } from '../../../support/killing-disk.ts'
import { buildModule, runModule, runToEnd } from '../../../support/module.ts'
import { append, tempDir, write } from '../../../support/project.ts'
import {
  contentAnew,
  contentOf,
  find,
  lines,
  look,
  type Memory,
  makeMemory,
  sessionName,
} from './search-index-support.ts'

const ZEBRAS = ['L1:00000001#1', 'L1:00000001#0']

const SAMPLE = {
  text: "The parser's getUserById() was rewritten running user_id in src/auth/jwt.ts, v2.1.232 cafés; 메모리를 検索 记忆体 ﾃｽﾄ",
  unit: {
    id: 'x',
    kind: 'note',
    n: 0,
    at: '2026-01-13',
    text: 'words',
    state: 'fresh',
    about: 'aaaaaaaa#0-1',
  } as const,
}

const FACT = {
  text: 'We skip empty lines.',
  at: '2026-01-13',
  session: 'aaaaaaaa',
  evidence: { entry: 3, quote: 'skip' },
}
/** Files, and what can be found in them. */
const UNITS: readonly (readonly [string, string])[] = [
  [
    'facts.json',
    JSON.stringify({
      decisions: [
        { id: 'd001', ...FACT },
        { id: 'd002', ...FACT, state: 'superseded' },
        { id: 'd003', ...FACT, state: 'rejected' },
      ],
    }),
  ],
  [
    'concepts.json',
    JSON.stringify({ concepts: [{ id: 'c001', name: 'Login', aliases: ['Auth'], summary: 'Who may come in.' }] }),
  ],
  [
    'sessions/week-2026-03.md',
    '# W\n\nBy hand.\n\n<!-- session aaaaaaaa at=2026-01-13T10:00:00.000Z entries=4 ours= -->\nOne block.\n',
  ],
  [
    'sessions/20260113_100000_aaaaaaaa.md',
    '# Session aaaaaaaa, 2026-01-13 UTC\n<!-- session aaaaaaaa entries=4 -->\n\n10:00–10:20 UTC, 1 prompt, 2 tool uses, 4 entries\n\nEnded: It is done.\n',
  ],
  ['shared/alice/facts.jsonl', '{"id":"d001","type":"decision","text":"Theirs.","at":"2026-01-13T10:00:00.000Z"}\n'],
]

function withZebras(): Memory {
  const memory = makeMemory()
  memory.put(sessionName(1), lines('zebra one', 'zebra two'))
  memory.put('project.md', '# Page\n\nAn okapi.\n')
  return memory
}

function manifestOf(memory: Memory): string {
  return path.join(memory.indexDir(), 'manifest.json')
}

/** What it answers at once, what it says about itself, and whether it has healed: nothing more to say. */
function askTwice(memory: Memory): { found: string[]; news: readonly string[]; later: readonly string[] } {
  const first = memory.ask((index) => ({ found: find(index, 'zebra'), news: index.news }))
  const later = memory.ask((index) => {
    expect(find(index, 'zebra')).toEqual(first.found)
    expect(contentOf(index)).toEqual(contentAnew(memory))
    return index.news
  })
  return { ...first, later }
}

function fileOf(memory: Memory, what: string): string {
  const dir = memory.indexDir()
  return path.join(dir, fs.readdirSync(dir).find((name) => name.startsWith(what)) ?? what)
}

describe('an index', () => {
  it('is kept for its user alone', () => {
    const memory = withZebras()
    memory.ask(() => undefined)

    const modes = fs.readdirSync(memory.indexDir()).map((name) => fs.statSync(path.join(memory.indexDir(), name)).mode)
    expect(modes.length).toBeGreaterThan(1)
    for (const mode of modes) expect(mode & 0o777).toBe(0o600)
    expect(fs.statSync(memory.indexDir()).mode & 0o777).toBe(0o700)
  })

  it('that was removed is made again', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    removeIndex(memory.store, memory.cacheDir)

    expect(askTwice(memory)).toEqual({ found: ZEBRAS, news: [], later: [] })
  })

  it('that is removed under somebody who has it open is made again', () => {
    const memory = withZebras()
    const index = memory.open()
    index.refresh()
    removeIndex(memory.store, memory.cacheDir)
    expect(find(index, 'zebra')).toEqual(ZEBRAS)
    index.refresh()

    expect(find(index, 'zebra')).toEqual(ZEBRAS)
    expect(index.news).toEqual(['The search index was deleted and is rebuilt.'])
    expect(fs.existsSync(manifestOf(memory))).toBe(true)
    index.close()
  })

  it('that was made anew by another process is taken over', () => {
    const memory = withZebras()
    const index = memory.open()
    index.refresh()
    removeIndex(memory.store, memory.cacheDir)
    memory.put(sessionName(0), lines('a zebra before all others'))
    memory.ask(() => undefined)
    index.refresh()

    expect(index.news).toEqual([])
    expect(contentOf(index)).toEqual(contentAnew(memory))
    index.close()
  })

  it('stays sound when a file is touched, and nothing is in it that is new', () => {
    const memory = withZebras()
    const refreshed = (): readonly string[] => memory.ask((index) => [...find(index, 'zebra'), ...index.news])
    refreshed()
    const before = fs.readdirSync(memory.indexDir())
    for (const year of [2027, 2028]) {
      const time = new Date(`${year}-01-01T00:00:00.000Z`)
      fs.utimesSync(path.join(memory.store.dir, sessionName(1)), time, time)
      expect(refreshed()).toEqual(ZEBRAS)
    }

    expect(refreshed()).toEqual(ZEBRAS)
    memory.ask((index) => expect(index.columns.count).toBe(3))
    const after = fs.readdirSync(memory.indexDir())
    expect(after).toEqual(expect.arrayContaining(before))
    expect(after.length).toBeLessThan(before.length + 3)
  })

  it.each(['segment', 'manifest'])('whose %s was cut is made anew, and says so', (what) => {
    const memory = withZebras()
    memory.ask(() => undefined)
    fs.truncateSync(fileOf(memory, what), 5)

    const news = ['The search index was damaged and is rebuilt.']
    expect(askTwice(memory)).toEqual({ found: ZEBRAS, news, later: [] })
  })

  it.each(['segment', 'manifest'])('whose %s is gone is made anew', (what) => {
    const memory = withZebras()
    memory.ask(() => undefined)
    fs.rmSync(fileOf(memory, what))

    expect(askTwice(memory).found).toEqual(ZEBRAS)
  })

  it('is made anew, whatever byte of it was changed', () => {
    const memory = withZebras()
    const readAll = (index: SearchIndex) => {
      const ids = Array.from({ length: index.columns.count }, (_, doc) => index.unitOf(doc)?.id)
      return { ids, ...look(index, 'zebra one two okapi page'), words: [...index.vocabulary()] }
    }
    const anew = memory.ask(readAll, { cacheDir: '' })
    fc.assert(
      fc.property(
        fc.constantFrom('segment', 'segment', 'manifest'),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (what, at, by) => {
          memory.ask(() => undefined)
          const file = fileOf(memory, what)
          const bytes = fs.readFileSync(file)
          const place = at % bytes.length
          bytes[place] = (bytes[place] ?? 0) ^ by
          fs.writeFileSync(file, bytes)

          memory.ask(readAll)
          expect(memory.ask(readAll)).toEqual(anew)
        },
      ),
      { numRuns: 80 },
    )
  })

  it('with damage in its middle says so with the next search, and heals', () => {
    const memory = makeMemory()
    memory.put(sessionName(1), lines(...Array.from({ length: 5000 }, (_, i) => `zebra number${i}`)))
    const index = memory.open()
    index.refresh()
    const file = fileOf(memory, 'segment')
    const fd = fs.openSync(file, 'r+')
    fs.writeSync(fd, Buffer.alloc(200_000, 7), 0, 200_000, 20_000)
    fs.closeSync(fd)

    expect(look(index, 'zebra', 9999).found).toEqual([0])
    index.refresh()

    expect(index.news).toEqual(['The search index was damaged and is rebuilt.'])
    expect(look(index, 'zebra', 9999).found).toEqual([5000])
    index.close()
  })

  it('of a newer version is left alone', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    const newer = fs.readFileSync(manifestOf(memory), 'utf8').replace('"version":3,', '"version":4,')
    fs.writeFileSync(manifestOf(memory), newer)

    const { found, news, later } = askTwice(memory)

    expect(found).toEqual(ZEBRAS)
    expect(news).toEqual([
      'The search index was built by a newer version: it is not changed, and this search works in memory.',
    ])
    expect(later).toEqual(news)
    expect(fs.readFileSync(manifestOf(memory), 'utf8')).toBe(newer)
  })

  it('of an older version is made anew', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    fs.writeFileSync(manifestOf(memory), '{"version":2,"generation":1767225600000,"documents":3}\n12345\n')
    fs.writeFileSync(path.join(memory.indexDir(), 'tokens-1767225600000.bin'), 'old')

    expect(askTwice(memory)).toEqual({
      found: ZEBRAS,
      news: ['The search index was built by another version and is rebuilt.'],
      later: [],
    })
    expect(fs.readdirSync(memory.indexDir()).filter((name) => name.startsWith('tokens'))).toEqual([])
  })

  it('says what kind of tokens it is made of', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    const manifest = JSON.parse(fs.readFileSync(manifestOf(memory), 'utf8').split('\n')[0] ?? '') as { madeOf: string }
    const { text, unit } = SAMPLE
    const units = UNITS.flatMap(([file, content]) => unitsIn(file, content))
    const made = fingerprint(
      `${tokenise(text)} ${traitsOf(text)} ${unitHash(unit)} ${KINDS} ${units.map(({ id, ...one }) => `${id} ${unitHash({ id, ...one })}`)}`,
    )

    // Another number here: put it into MADE_OF of src/core/search/disk/index/manifest.ts, so that older indexes are made anew.
    expect(manifest.madeOf).toBe(made)
  })

  it('locked by a dead process is written all the same', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    // No process has this number.
    fs.writeFileSync(path.join(memory.indexDir(), 'lock'), JSON.stringify({ pid: 99_999_999, host: os.hostname() }))
    memory.put(sessionName(2), lines('a third zebra'))

    expect(askTwice(memory).found).toHaveLength(3)
    expect(fs.readFileSync(manifestOf(memory), 'utf8')).toContain('"live":4')
  })

  it('locked by a living one is completed in memory, and written later', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    const lock = path.join(memory.indexDir(), 'lock')
    fs.writeFileSync(lock, JSON.stringify({ pid: process.pid, host: os.hostname() }))
    memory.put(sessionName(2), lines('a third zebra'))
    const index = memory.open({ budgetMs: 40 })
    index.refresh()
    const before = fs.readFileSync(manifestOf(memory), 'utf8')

    expect(find(index, 'zebra')).toHaveLength(3)
    expect(before).not.toContain('"live":4')
    fs.rmSync(lock)
    index.refresh()

    expect(find(index, 'zebra')).toHaveLength(3)
    expect(contentOf(index)).toEqual(contentAnew(memory))
    expect(fs.readFileSync(manifestOf(memory), 'utf8')).toContain('"live":4')
    index.close()
  })

  it('answers from memory where nothing can be written, and says so', () => {
    const memory = withZebras()
    // A file where its directory would be: not even root can write there.
    fs.writeFileSync(memory.cacheDir, '')

    const index = memory.open()
    index.refresh()
    expect(find(index, 'zebra')).toEqual(ZEBRAS)
    expect(index.news).toHaveLength(1)
    expect(index.news[0]).toContain('could not be written')
    memory.put(sessionName(2), lines('a third zebra'))
    index.refresh()
    expect(find(index, 'zebra')).toHaveLength(3)
    index.close()
  })

  it('answers from memory where it cannot be read, and says so', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    // Beyond the limit of a text: it is refused, for root as well.
    fs.truncateSync(manifestOf(memory), 65 * 1024 * 1024)

    memory.ask((index) => {
      expect(find(index, 'zebra')).toEqual(ZEBRAS)
      expect(index.news).toHaveLength(1)
      expect(index.news[0]).toContain('could not be read (EFBIG')
    })
  })

  it('is made anew where a directory stands in the place of its manifest', () => {
    const memory = withZebras()
    memory.ask(() => undefined)
    fs.rmSync(manifestOf(memory))
    fs.mkdirSync(manifestOf(memory))

    memory.ask((index) => expect(find(index, 'zebra')).toEqual(ZEBRAS))
    expect(fs.statSync(manifestOf(memory)).isFile()).toBe(true)
  })

  it('answers from memory on a full disk, and is written when there is room again', () => {
    const memory = withZebras()
    let isFull = true
    const full: IndexDisk = {
      ...indexDisk,
      writeBytes: (file, at, bytes) => {
        if (isFull && bytes.length > 3) {
          indexDisk.writeBytes(file, at, bytes.subarray(0, 3))
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
        }
        return indexDisk.writeBytes(file, at, bytes)
      },
    }
    const first = memory.ask((index) => ({ found: find(index, 'zebra'), news: index.news }), { disk: full })
    expect(first.found).toEqual(ZEBRAS)
    expect(first.news[0]).toContain('ENOSPC')

    isFull = false
    expect(askTwice(memory)).toEqual({ found: ZEBRAS, news: [], later: [] })
  })

  it('without a cache directory lives in memory', () => {
    const memory = withZebras()
    const index = memory.open({ cacheDir: '' })
    for (let round = 0; round < 5; round++) {
      memory.remove(sessionName(1))
      memory.put(sessionName(1), lines(...Array.from({ length: 300 }, () => `zebra${round} again`)))
      index.refresh()
      expect(look(index, `zebra${round}`, 999).found).toEqual([300])
    }

    expect(index.news).toEqual([])
    expect(index.columns.count).toBeLessThan(1200)
    expect(fs.existsSync(memory.cacheDir)).toBe(false)
    index.close()
  })

  it('does within its budget what it can, and the rest later', () => {
    const memory = makeMemory()
    for (let n = 0; n < 40; n++) memory.put(sessionName(n), lines(`zebra ${n}`))
    let ms = Date.parse('2026-01-13T12:00:00.000Z')
    const slowClock = (): string => {
      ms += 5
      return new Date(ms).toISOString()
    }

    const index = memory.open({ budgetMs: 60, now: slowClock })
    expect(index.refresh()).toBe(false)
    const some = look(index, 'zebra', 99).docs.length
    expect(some).toBeGreaterThan(0)
    expect(some).toBeLessThan(40)
    for (let tries = 0; !index.refresh() && tries < 40; tries++) expect(index.columns.live).toBeGreaterThan(0)

    expect(look(index, 'zebra', 99).docs).toHaveLength(40)
    index.close()
  })
})

/** Dies before, after or in the middle of a write. */
function killing(kills: Kill[]): IndexDisk {
  const guarded = killingAt(kills)
  return {
    writeBytes: guarded(indexDisk.writeBytes, (file, at, bytes) =>
      indexDisk.writeBytes(file, at, bytes.subarray(0, Math.floor(bytes.length / 2))),
    ),
    replace: guarded(indexDisk.replace, (file, text) => fs.writeFileSync(`${file}.1.tmp`, text.slice(0, 9))),
    remove: guarded(indexDisk.remove, () => undefined),
  }
}

describe('a writer that is killed', () => {
  it('leaves an index that the next one goes on with, wherever it dies', () => {
    fc.assert(
      fc.property(fc.array(anyKill, { minLength: 1, maxLength: 4 }), fc.nat(6), (kills, removed) => {
        const memory = makeMemory()
        const left = [...kills]
        for (let round = 0; round < kills.length + 2; round++) {
          append(path.join(memory.store.dir, sessionName(round % 3)), lines(`zebra ${round}`, 'okapi'))
          memory.put('project.md', `## A\n\nround ${round}\n\n## B\n\nstays\n`)
          if (round === removed) memory.remove(sessionName(0))
          refreshUntilKilled(memory, left)
        }

        memory.ask((index) => {
          expect(index.news).toEqual([])
          expect(contentOf(index)).toEqual(contentAnew(memory))
        })
        expect(fs.readdirSync(memory.indexDir()).filter((name) => name.endsWith('.tmp'))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('a writer that is killed while it makes the index smaller', () => {
  const many = (word: string): string => lines(...Array.from({ length: 210 }, (_, i) => `${word} ${i}`))

  it.each(['before', 'partial', 'after'] as const)('leaves it whole, %s any of its writes', (how) => {
    for (let after = 0; after < 14; after++) {
      const memory = makeMemory()
      memory.put(sessionName(1), many('zebra'))
      memory.ask(() => undefined)
      memory.remove(sessionName(1))
      memory.put(sessionName(1), many('okapi'))
      const kills = [{ after, how }]
      refreshUntilKilled(memory, kills)

      memory.ask((index) => {
        expect(index.news).toEqual([])
        expect(contentOf(index)).toEqual(contentAnew(memory))
        // The last kills come too late: it is done with less.
        if (kills.length > 0) expect(index.columns.count).toBe(210)
      })
    }
  })
})

function refreshUntilKilled(memory: Memory, kills: Kill[]): void {
  const index: SearchIndex = memory.open({ disk: killing(kills) })
  try {
    index.refresh()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  } finally {
    index.close()
  }
}

/** Appends to its own session and searches, again and again; all must be there each time. */
const WORKER = `
import fs from 'node:fs'
import path from 'node:path'
import { stemOf } from './src/kernel/text/token.ts'
import { tokenise } from './src/kernel/text/words.ts'
import { locate } from './src/kernel/platform/disk/locate.ts'
import { openIndex } from './src/core/search/disk/memory-index.ts'
import { openStore } from './src/kernel/memory/disk/store.ts'
const { root, around, cacheDir, rounds } = SETTINGS
import { withSessions } from './src/kernel/memory/state.ts'
import { stateEffect } from './src/kernel/memory/disk/store.ts'
import { newSession } from './src/kernel/memory/session-state.ts'
const now = () => new Date().toISOString()
const store = openStore(locate(root, around), { now })
const id = process.pid.toString(16).padStart(8, '0')
const file = path.join(store.dir, 'sessions', '20260113_120000_' + id + '.l1.jsonl')
const word = 'mine' + id
let index = openIndex(store, { cacheDir, now })
for (let round = 1; round <= rounds; round++) {
  const text = word + ' zebra ' + round
  const session = { ...newSession(''), file: path.basename(file), entries: round }
  const captured = store.whileLocked(20_000, () => {
    fs.appendFileSync(file, JSON.stringify({ role: 'user', ts: now(), text }) + '\\n')
    store.perform([stateEffect(withSessions(store.readState(), [[id, session]]))])
  })
  if (captured === null) throw new Error('no lock')
  if (round % 3 === 0) {
    index.close()
    index = openIndex(store, { cacheDir, now })
  }
  index.refresh()
  const { docs } = index.engine.look([...tokenise(word)].map(stemOf), [1, 1, 1, 1], 999, null)
  if (docs.length !== round) throw new Error('round ' + round + ': ' + docs.length + ' found; ' + index.news)
  for (const doc of docs) if (!index.unitOf(doc).text.startsWith(word)) throw new Error('another text')
  if (index.news.length > 0) throw new Error(index.news.join(' '))
}
index.close()
`

describe('eight processes at once', () => {
  it('find each what they wrote, and leave one sound index', async () => {
    // On a disk: there a write takes longer than in memory, and others come between.
    const memory = makeMemory(tempDir(os.tmpdir()))
    memory.put(sessionName(1), lines('zebra'))
    const settings = { root: memory.project.root, around: memory.project.around, cacheDir: memory.cacheDir, rounds: 20 }
    await runModule(WORKER.replace('SETTINGS', JSON.stringify(settings)), 8)

    memory.ask((index) => {
      expect(index.news).toEqual([])
      expect(look(index, 'zebra', 999).docs).toHaveLength(161)
      expect(contentOf(index)).toEqual(contentAnew(memory))
    })
  })
})

it('the index is removed again and again while others search, and nobody fails', async () => {
  const memory = makeMemory()
  for (const n of [1, 2, 3])
    memory.put(sessionName(n), lines(...Array.from({ length: 40 }, (_, i) => `zebra ${n} ${i}`)))
  const { root, around } = memory.project
  const done = path.join(memory.project.base, 'done')
  const script = await buildModule(`
    import fs from 'node:fs'
    import { locate } from './src/kernel/platform/disk/locate.ts'
    import { openIndex } from './src/core/search/disk/memory-index.ts'
    import { openStore } from './src/kernel/memory/disk/store.ts'
    const now = () => new Date().toISOString()
    const store = openStore(locate(${JSON.stringify(root)}, ${JSON.stringify(around)}), { now })
    for (let round = 0; round < 60; round++) {
      const index = openIndex(store, { cacheDir: ${JSON.stringify(memory.cacheDir)}, now })
      index.refresh()
      if (index.columns.live !== 120) throw new Error(index.columns.live + ' documents')
      if (index.news.some((line) => /could not be/.test(line))) throw new Error(index.news.join())
      index.close()
    }`)
  const searching = Promise.all([1, 2].map(() => runToEnd([process.execPath, script]))).finally(() => write(done, ''))
  let removed = 0
  for (; !fs.existsSync(done); removed++) {
    removeIndex(memory.store, memory.cacheDir)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }

  await searching
  expect(removed).toBeGreaterThan(1)
  removeIndex(memory.store, memory.cacheDir)
  expect(fs.readdirSync(memory.indexDir())).toEqual([])
}, 60_000)

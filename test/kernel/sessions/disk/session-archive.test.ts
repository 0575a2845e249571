/** Old sessions, compressed: read like any others, back when they go on, and never lost. */
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { timelineOf } from '../../../../src/core/search/disk/timeline.ts'
import { adoptFiles, missingFrom } from '../../../../src/core/vault/disk/vault.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { sessionIn } from '../../../../src/kernel/memory/state.ts'
import { disk } from '../../../../src/kernel/platform/disk/files.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { readSession } from '../../../../src/kernel/sessions/disk/lineage.ts'
import {
  allSessionFiles,
  isPacked,
  keepUnpacked,
  packedPath,
  packSessions,
  readSessionBytes,
  sessionFileState,
} from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { listSessions } from '../../../../src/kernel/sessions/disk/sessions.ts'
import { damagedArchives, verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { anyKill, type Kill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { addSession, entriesOf, fileOf, id8Of, type OldSession } from '../../../support/old-sessions.ts'
import {
  append,
  fastDir,
  linesFor,
  makeProject,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  treeOf,
  turns,
} from '../../../support/project.ts'

const OLD: OldSession = { n: 1, at: '2025-11-03T10:00:00.000Z', word: 'parser' }
const ALWAYS = (): boolean => true
const { openSync } = fs

function packed(): { project: TestProject; store: Store; gz: string; plain: string } {
  const project = makeProject('app', fastDir())
  const store = storeOf(project)
  addSession(store, OLD)
  expect(packSessions(store, [fileOf(OLD)], 100, ALWAYS)).toEqual([fileOf(OLD)])
  const gz = path.join(store.dir, packedPath(fileOf(OLD)))
  return { project, store, gz, plain: path.join(store.dir, 'sessions', fileOf(OLD)) }
}

/** A session as capture leaves it, compressed. */
function captured(): { project: TestProject; store: Store; session: string; file: string } {
  const project = quietProject({}, fastDir())
  const store = storeOf(project)
  const session = sessionId(7)
  append(project.transcriptOf(session), turns(linesFor(session, project.root), 0, 3))
  capture(project, store, session)
  const file = sessionIn(store.readState(), session)?.file ?? ''
  expect(packSessions(store, [file], 100, ALWAYS)).toEqual([file])
  return { project, store, session, file }
}

function capture(project: TestProject, store: Store, session: string): void {
  captureSession(store, { session, transcript: project.transcriptOf(session) }, { waitMs: 100, now })
}

describe('a compressed session', () => {
  it('is one file that any gzip unpacks, the same bytes whenever it is made, and the plain one is gone', () => {
    const { store, gz, plain } = packed()
    const again = packed()

    expect(fs.existsSync(plain)).toBe(false)
    expect(zlib.gunzipSync(fs.readFileSync(gz)).toString()).toBe(
      entriesOf(OLD)
        .map((e) => `${JSON.stringify(e)}\n`)
        .join(''),
    )
    expect(fs.readFileSync(gz).equals(fs.readFileSync(again.gz))).toBe(true)
    expect(sessionFileState(store.dir, fileOf(OLD))).toEqual({
      size: readSessionBytes(store.dir, fileOf(OLD))?.length,
      lastAt: '2025-11-03T11:00:00.000Z',
      isWhole: true,
    })
  })

  it('is read by everything that reads sessions', () => {
    const { store } = packed()

    expect(readSession(store, fileOf(OLD))).toEqual(entriesOf(OLD))
    expect(allSessionFiles(store.dir)).toEqual([fileOf(OLD)])
    expect(listSessions(store)).toMatchObject([{ id: id8Of(1), entries: 4, prompts: 1 }])
    expect(lookUp(store, `L1:${id8Of(1)}#0`, 0)?.parts[0]?.text).toContain('parser accept')
    expect(timelineOf(store, { around: '2025-11-03', limit: 10, now: now() })?.rows.length).toBeGreaterThan(0)
    expect(timelineOf(store, { around: '2025-11-20', limit: 10, now: now() })?.rows).toEqual([])
  })

  it('gives the same entries as long as its text is the same, and never those of another text', () => {
    const { store } = packed()
    const entries = readSession(store, fileOf(OLD))

    expect(readSession(store, fileOf(OLD))).toBe(entries)
    fs.writeFileSync(path.join(store.dir, 'sessions', fileOf(OLD)), `${JSON.stringify(entries[0])}\n`)
    expect(readSession(store, fileOf(OLD))).toEqual(entries.slice(0, 1))
  })

  it('is complete for verify, and left as it is when nothing came', () => {
    const { project, store, session, file } = captured()
    const before = treeOf(store.dir)
    capture(project, store, session)
    const verified = verifySession(store, store.readState(), session, project.transcriptOf(session))

    expect(verified).toMatchObject({ prompts: { present: 3, captured: 3 }, missing: [] })
    expect(damagedArchives(store)).toEqual([])
    expect(isPacked(store.dir, file)).toBe(true)
    expect(treeOf(store.dir)).toEqual(before)
  })

  it('is plain again before something is added, and nothing is told twice', () => {
    const { project, store, session, file } = captured()
    append(project.transcriptOf(session), turns(linesFor(session, project.root), 3, 5))
    capture(project, store, session)

    expect(fs.existsSync(path.join(store.dir, packedPath(file)))).toBe(false)
    expect(readSession(store, file)).toHaveLength(15)
    expect(fs.readFileSync(path.join(store.dir, 'sessions', file), 'utf8').match(/question 0/g)).toHaveLength(1)
  })

  it('is found again by a state that was lost', () => {
    const { project, store, session, file } = captured()
    fs.rmSync(path.join(store.dir, 'memory-index.json'))
    capture(project, store, session)

    expect(readSession(store, file)).toHaveLength(9)
    expect(allSessionFiles(store.dir)).toEqual([file])
  })
})

describe('a damaged compressed session', () => {
  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    [
      'changed',
      (bytes: Buffer) => {
        const changed = Buffer.from(bytes)
        changed[bytes.length - 6] = (changed[bytes.length - 6] ?? 0) ^ 0xff
        return changed
      },
    ],
    ['replaced', () => Buffer.from('no gzip at all')],
  ])('that was %s is told by verify, kept, and costs nothing else', (_, damage) => {
    const { store, gz } = packed()
    const other = { n: 2, at: '2025-11-04T10:00:00.000Z', word: 'lexer' }
    addSession(store, other)
    const wrong = damage(fs.readFileSync(gz))
    fs.writeFileSync(gz, wrong)

    expect(damagedArchives(store)).toEqual([packedPath(fileOf(OLD))])
    expect(readSession(store, fileOf(other))).toHaveLength(4)
    expect(() => readSession(store, fileOf(OLD))).not.toThrow()
    expect(fs.readFileSync(gz).equals(wrong)).toBe(true)
  })

  it('that lost its end still says what is left of it', () => {
    const project = makeProject('app', fastDir())
    const store = storeOf(project)
    addSession(store, OLD)
    const file = path.join(store.dir, 'sessions', fileOf(OLD))
    // Long and hard to compress, so that the end of the file is the end of the text.
    const noise = (n: number): string =>
      Array.from({ length: 300 }, (_, i) => Math.imul(n * 300 + i, 2654435761).toString(36)).join('')
    fs.writeFileSync(
      file,
      Array.from({ length: 200 }, (_, n) => `${JSON.stringify({ role: 'user', ts: OLD.at, text: noise(n) })}\n`).join(
        '',
      ),
    )
    packSessions(store, [fileOf(OLD)], 100, ALWAYS)
    const gz = path.join(store.dir, packedPath(fileOf(OLD)))
    fs.writeFileSync(gz, fs.readFileSync(gz).subarray(0, Math.floor(fs.statSync(gz).size / 2)))

    expect(readSession(store, fileOf(OLD)).length).toBeGreaterThan(20)
    expect(sessionFileState(store.dir, fileOf(OLD))?.isWhole).toBe(false)
  })

  it('is captured anew from its transcript, and stays beside it', () => {
    const { project, store, session, file } = captured()
    const gz = path.join(store.dir, packedPath(file))
    fs.writeFileSync(gz, fs.readFileSync(gz).subarray(0, 200))
    append(project.transcriptOf(session), turns(linesFor(session, project.root), 3, 4))
    capture(project, store, session)

    expect(readSession(store, file)).toHaveLength(12)
    expect(fs.statSync(gz).size).toBe(200)
    expect(packSessions(store, [file], 100, ALWAYS)).toEqual([])
    expect(fs.statSync(gz).size).toBe(200)
  })
})

describe('compressing', () => {
  it('leaves a session alone that is no longer old', () => {
    const store = storeOf(makeProject('app', fastDir()))
    addSession(store, OLD)

    expect(packSessions(store, [fileOf(OLD)], 100, () => false)).toEqual([])
    expect(fs.existsSync(path.join(store.dir, 'sessions', 'archive'))).toBe(false)
  })

  it('keeps the plain file when the compressed one is not what was written', () => {
    const project = makeProject('app', fastDir())
    addSession(storeOf(project), OLD)
    const lossy = {
      ...disk,
      replace: (file: string, content: string | Buffer) => disk.replace(file, content.slice(0, -9)),
    }
    const store = openStore(project.places, { now, disk: lossy })

    expect(packSessions(store, [fileOf(OLD)], 100, ALWAYS)).toEqual([])
    expect(readSession(store, fileOf(OLD))).toEqual(entriesOf(OLD))
  })

  it('loses no entry, whenever it is killed, and is done in the end', () => {
    const project = makeProject('app', fastDir())
    fc.assert(
      fc.property(fc.array(anyKill, { maxLength: 4 }), fc.nat(), (kills, n) => {
        const session = { n: n % 0xffffff, at: '2025-11-03T10:00:00.000Z', word: `parser${n}` }
        addSession(storeOf(project), session)
        const left = [...kills]
        const store = openStore(project.places, { now, disk: killingDisk(left) })
        for (let isDone = false; !isDone; ) {
          try {
            isDone =
              packSessions(store, [fileOf(session)], 100, ALWAYS).length > 0 || isPacked(store.dir, fileOf(session))
          } catch (error) {
            if (!(error instanceof Killed)) throw error
          }
          expect(readSession(store, fileOf(session))).toEqual(entriesOf(session))
        }
        expect(fs.existsSync(path.join(store.dir, 'sessions', fileOf(session)))).toBe(false)
      }),
      { numRuns: 40 },
    )
  })
})

describe('the vault', () => {
  it('holds a session once, compressed or plain, as the memory does', () => {
    const { project, store, session, file } = captured()
    const vault = project.places.vault
    store.whileLocked(100, () => fillVault(store))
    expect(allSessionFiles(vault)).toEqual([file])
    append(project.transcriptOf(session), turns(linesFor(session, project.root), 3, 4))
    capture(project, store, session)
    store.whileLocked(100, () => fillVault(store))

    expect(fs.existsSync(path.join(vault, packedPath(file)))).toBe(false)
    expect(fs.existsSync(path.join(vault, 'sessions', file))).toBe(true)
    packSessions(store, [file], 100, ALWAYS)
    store.whileLocked(100, () => fillVault(store))
    expect(fs.existsSync(path.join(vault, packedPath(file)))).toBe(true)
    expect(fs.existsSync(path.join(vault, 'sessions', file))).toBe(false)
    expect(missingFrom(store, vault)).toEqual([])
  })

  it('brings a compressed session back, and does not take a damaged one for its copy', () => {
    const { project, store, file } = captured()
    store.whileLocked(100, () => fillVault(store))
    const gz = path.join(store.dir, packedPath(file))
    const whole = fs.readFileSync(gz)
    fs.writeFileSync(gz, whole.subarray(0, 150))
    store.whileLocked(100, () => fillVault(store))
    expect(fs.readFileSync(path.join(project.places.vault, packedPath(file))).equals(whole)).toBe(true)
    fs.rmSync(path.join(store.dir, 'sessions'), { recursive: true })
    const again = storeOf(project)
    again.whileLocked(100, () => adoptFiles(again, project.places.vault))

    expect(readSession(again, file)).toHaveLength(9)
  })
})

describe('many short sessions', () => {
  const OLDER: OldSession[] = [2, 3, 4].map((n) => ({ n, at: `2025-11-0${n}T10:00:00.000Z`, word: 'parser' }))

  function withThree(kills: Kill[] = []): { project: TestProject; store: Store } {
    const project = makeProject('app', fastDir())
    for (const one of OLDER) addSession(storeOf(project), one)
    return { project, store: openStore(project.places, { now, disk: killingDisk(kills) }) }
  }

  it('keeps no more of an unpacked session than its bytes', () => {
    const store = storeOf(makeProject('app', fastDir()))
    addSession(store, OLD)
    // More than what Node gives many small buffers in common.
    append(
      path.join(store.dir, 'sessions', fileOf(OLD)),
      `${JSON.stringify({ role: 'user', ts: OLD.at, text: 'x'.repeat(5_000) })}\n`,
    )
    packSessions(store, [fileOf(OLD)], 100, ALWAYS)

    const bytes = readSessionBytes(store.dir, fileOf(OLD))

    expect(bytes?.buffer.byteLength).toBeLessThan(2 * (bytes?.length ?? 0))
  })

  it('are kept as far as the program allows', () => {
    const { store } = withThree()
    packSessions(store, OLDER.map(fileOf), 100, ALWAYS)
    const readAll = (): (Buffer | null)[] => OLDER.map((one) => readSessionBytes(store.dir, fileOf(one)))

    const known = readAll()
    expect(readAll().map((bytes, i) => bytes === known[i])).toEqual([true, true, true])
    keepUnpacked(0)
    addSession(store, OLD)
    packSessions(store, [fileOf(OLD)], 100, ALWAYS)
    readSessionBytes(store.dir, fileOf(OLD))
    expect(readAll().map((bytes, i) => bytes === known[i])).toEqual([false, false, false])
    expect(readAll()).toEqual(known)
    keepUnpacked(32 * 1024 * 1024)
  })

  it('syncs the directory once, before the first plain file is deleted', () => {
    const { store } = withThree()
    const archive = path.join(store.dir, 'sessions', 'archive')
    const plainLeft: number[] = []
    const opened = vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
      if (args[0] === archive) plainLeft.push(OLDER.filter((one) => !isPacked(store.dir, fileOf(one))).length)
      return openSync(...args)
    })

    expect(packSessions(store, OLDER.map(fileOf), 100, ALWAYS)).toHaveLength(OLDER.length)

    opened.mockRestore()
    expect(plainLeft).toEqual([OLDER.length])
  })

  it('loses none of them, wherever the process is killed', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.constantFrom('before' as const, 'after' as const, 'partial' as const), (after, how) => {
        const { project, store } = withThree([{ after, how }])
        const before = OLDER.map((one) => readSessionBytes(store.dir, fileOf(one)))
        try {
          packSessions(store, OLDER.map(fileOf), 100, ALWAYS)
        } catch (error) {
          if (!(error instanceof Killed)) throw error
        }

        expect(OLDER.map((one) => readSessionBytes(store.dir, fileOf(one)))).toEqual(before)
        packSessions(storeOf(project), OLDER.map(fileOf), 100, ALWAYS)
        expect(OLDER.map((one) => readSessionBytes(store.dir, fileOf(one)))).toEqual(before)
        expect(OLDER.every((one) => isPacked(store.dir, fileOf(one)))).toBe(true)
      }),
    )
  })
})

/** The index and compressed sessions: the same documents before and after, read once, and damage costs nothing else. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { pack, packedPath, packSessions, unpackEffects } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { addSession, entriesOf, fileOf, id8Of, type OldSession } from '../../../support/old-sessions.ts'
import { type Memory, makeMemory } from './search-index-support.ts'

const OLD: OldSession = { n: 1, at: '2025-11-03T10:00:00.000Z', word: 'zebra' }
const YOUNG: OldSession = { n: 2, at: '2026-01-12T10:00:00.000Z', word: 'giraffe' }

function filled(): Memory {
  const memory = makeMemory()
  for (const session of [OLD, YOUNG]) addSession(memory.store, session)
  return memory
}

function packOld(memory: Memory): void {
  expect(packSessions(memory.store, [fileOf(OLD)], 100, () => true)).toEqual([fileOf(OLD)])
}

/** What can be found, in the order of the documents. */
function idsIn(index: SearchIndex): string[] {
  return Array.from({ length: index.columns.count }, (_, doc) => doc)
    .filter((doc) => index.columns.dead[doc] !== 1)
    .flatMap((doc) => index.unitOf(doc)?.id ?? 'stale')
}

const ENTRIES = [0, 1, 2, 3].map((n) => `L1:${id8Of(1)}#${n}`)

describe('the index of a session that was compressed', () => {
  it('has the same documents as before: nothing is made anew', () => {
    const memory = filled()
    const before = memory.ask((index) => ({ ids: idsIn(index), count: index.columns.count }))
    packOld(memory)

    expect(before.ids).toEqual(expect.arrayContaining(ENTRIES))
    expect(memory.ask((index) => ({ ids: idsIn(index), count: index.columns.count }))).toEqual(before)
    expect(memory.ask((index) => ({ ids: idsIn(index), count: index.columns.count }))).toEqual(before)
  })

  it('is made from the compressed file when there was none before', () => {
    const memory = filled()
    packOld(memory)

    expect(memory.ask(idsIn)).toEqual(expect.arrayContaining(ENTRIES))
  })

  it('is not read again as long as nothing changes', () => {
    const memory = filled()
    packOld(memory)
    const gz = path.join(memory.store.dir, packedPath(fileOf(OLD)))
    const then = new Date('2026-01-13T10:00:00.000Z')
    fs.utimesSync(gz, then, then)
    memory.ask(idsIn)
    const bytes = fs.readFileSync(gz)
    const manifest = (): string => fs.readFileSync(path.join(memory.indexDir(), 'manifest.json'), 'utf8')
    const before = manifest()
    // Other bytes that look the same: who reads them fails.
    fs.writeFileSync(gz, Buffer.alloc(bytes.length))
    fs.utimesSync(gz, then, then)

    expect(memory.ask((index) => [...index.news])).toEqual([])
    expect(manifest()).toBe(before)
  })

  it('goes on with what came when the session went on', () => {
    const memory = filled()
    memory.ask(idsIn)
    packOld(memory)
    const { count } = memory.ask((index) => ({ count: index.columns.count }))
    memory.store.perform(unpackEffects(memory.store.dir, fileOf(OLD)))
    fs.appendFileSync(
      path.join(memory.store.dir, 'sessions', fileOf(OLD)),
      formatEntry({ role: 'user', ts: '2026-01-13T10:00:00.000Z', text: 'and the okapi' }),
    )

    const after = memory.ask((index) => ({ ids: idsIn(index), count: index.columns.count }))
    expect(after.count).toBe(count + 1)
    expect(after.ids).toEqual(expect.arrayContaining([...ENTRIES, `L1:${id8Of(1)}#4`]))
  })

  it('is made anew when the compressed file says something else', () => {
    const memory = filled()
    packOld(memory)
    memory.ask(idsIn)
    const other = entriesOf({ ...OLD, word: 'okapi' })
      .map(formatEntry)
      .join('')
    const gz = path.join(memory.store.dir, packedPath(fileOf(OLD)))
    fs.renameSync(gz, `${gz}.old`)
    fs.writeFileSync(gz, pack(Buffer.from(other)))

    const texts = memory.ask(textsIn)
    expect(texts).toContain('Please make the okapi accept empty lines.')
    expect(texts).not.toContain('Please make the zebra accept empty lines.')
  })

  it('tells a damaged one, and finds everything else', () => {
    const memory = filled()
    packOld(memory)
    fs.writeFileSync(path.join(memory.store.dir, packedPath(fileOf(OLD))), 'no gzip')
    const { ids, news } = memory.ask((index) => ({ ids: idsIn(index), news: [...index.news] }))

    expect(ids).toEqual(expect.arrayContaining([0, 1, 2, 3].map((n) => `L1:${id8Of(2)}#${n}`)))
    expect(news).toEqual([`sessions/${fileOf(OLD)} cannot be read, and is not searched.`])
  })

  it('counts the plain file while both are there', () => {
    const memory = filled()
    const plain = path.join(memory.store.dir, 'sessions', fileOf(OLD))
    const text = fs.readFileSync(plain)
    packOld(memory)
    fs.writeFileSync(plain, text)

    expect(memory.ask(idsIn).filter((id) => id === ENTRIES[0])).toHaveLength(1)
  })

  it('is the one that is made from nothing, whatever is compressed and comes back in between', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('pack', 'unpack', 'ask', 'grow'), { maxLength: 8 }), (steps) => {
        const memory = filled()
        let grown = 0
        for (const step of steps) {
          if (step === 'pack') packSessions(memory.store, [fileOf(OLD)], 100, () => true)
          if (step === 'unpack' || step === 'grow') memory.store.perform(unpackEffects(memory.store.dir, fileOf(OLD)))
          if (step === 'ask') memory.ask(idsIn)
          if (step === 'grow')
            fs.appendFileSync(
              path.join(memory.store.dir, 'sessions', fileOf(OLD)),
              formatEntry({ role: 'user', ts: '2026-01-13T10:00:00.000Z', text: `okapi number ${grown++}` }),
            )
        }
        const found = memory.ask((index) => idsIn(index).sort())
        const fresh = memory.ask((index) => idsIn(index).sort(), { cacheDir: '' })
        expect(found).toEqual(fresh)
        expect(found.filter((id) => id.startsWith(`L1:${id8Of(1)}`))).toHaveLength(4 + grown)
      }),
      { numRuns: 25 },
    )
  })
})

function textsIn(index: SearchIndex): string[] {
  return Array.from({ length: index.columns.count }, (_, doc) => doc)
    .filter((doc) => index.columns.dead[doc] !== 1)
    .flatMap((doc) => index.unitOf(doc)?.text ?? [])
}

/** What editors of Windows make of files that a person may change. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { done, filesBelow, hook, idOf, makePlace, type Place, playSession, playTurn, settle } from './support/place.ts'

const BOM = '\ufeff'
const MARK_OF_UTF16 = Buffer.from([0xff, 0xfe])
/** 등대는 아홉 시에 연다 ("the lighthouse opens at nine") as Notepad saved it on a Korean Windows of old. */
const KOREAN_949 = Buffer.from('b5eeb4ebb4c220bec6c8a920bdc3bfa120bfacb4d9', 'hex')

const memoryOf = (place: Place): string => path.join(place.memory, 'memory.md')
const rulesOf = (place: Place): string => path.join(place.memory, 'rules.md')

function rewrite(file: string, change: (text: string) => string | Buffer): void {
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
}

/** A memory with a note and a rule of the user. */
async function remembering(): Promise<Place> {
  const place = makePlace()
  await playSession(place, 1, 1)
  await settle(place)
  await done(place, 'rules', 'add', 'Never push on Friday')
  await done(place, 'remember', 'The server is called otter')
  return place
}

/** A session with a note. Returns what its start says to the user. */
async function noteMore(place: Place): Promise<string> {
  const said = await saidAtStart(place, 2)
  await playTurn(place, 2, 0)
  await hook(place, idOf(2), 'SessionEnd', { reason: 'other' })
  await settle(place)
  return said
}

async function saidAtStart(place: Place, n: number): Promise<string> {
  const out = await hook(place, idOf(n), 'SessionStart', { source: 'startup' })
  return (JSON.parse(out) as { systemMessage?: string }).systemMessage ?? ''
}

export const byHand = (): void =>
  void describe('files changed by hand', { concurrency: 2 }, () => {
    it('CRLF and a BOM are read in every file that a person may edit', async () => {
      const place = await remembering()
      fs.writeFileSync(path.join(place.memory, 'project.md'), 'The shop sells lamps.\n')
      const settings = path.join(place.keeper, 'config.json')
      rewrite(settings, (text) => JSON.stringify({ ...JSON.parse(text), saveInterval: 7 }, null, 2))
      for (const file of [memoryOf(place), rulesOf(place), settings, path.join(place.memory, 'project.md')])
        rewrite(file, (text) => BOM + text.replaceAll('\n', '\r\n'))
      await noteMore(place)

      assert.match(await done(place, 'rules', 'list'), /Never push on Friday/)
      assert.match(await playTurn(place, 3, 0), /Never push on Friday/)
      assert.match(await done(place, 'notes', 'list'), /otter/)
      assert.match(await done(place, 'page', 'get', 'project'), /lamps/)
      assert.match(await done(place, 'config', 'get', 'saveInterval'), /7/)
      assert.match(fs.readFileSync(memoryOf(place), 'utf8'), /otter[\s\S]*session=00000002/)
    })

    // Issue 28, D10.
    it('UTF-16 with its mark is decoded: notes, rules and paragraphs stay', async () => {
      const place = await remembering()
      const asUtf16 = (text: string): Buffer =>
        Buffer.concat([MARK_OF_UTF16, Buffer.from(text.replaceAll('\n', '\r\n'), 'utf16le')])
      rewrite(memoryOf(place), (text) => asUtf16(`${text}\n등대는 아홉 시에 연다\n`))
      rewrite(rulesOf(place), asUtf16)
      await noteMore(place)

      const after = fs.readFileSync(memoryOf(place), 'utf8')
      // Not by a pattern: the report of a failure would contain the file.
      for (const text of ['등대는 아홉 시에 연다', 'otter', 'session=00000002']) assert.ok(after.includes(text), text)
      for (const broken of ['\u0000', '\ufffd']) assert.ok(!after.includes(broken), 'the file has broken characters')
      assert.match(await playTurn(place, 3, 0), /Never push on Friday/)
    })

    // Issue 28, D10.
    it('bytes that are no text are set aside byte for byte before the first write, and the next start says so', async () => {
      const place = await remembering()
      const saved = Buffer.concat([fs.readFileSync(memoryOf(place)), KOREAN_949, Buffer.from('\r\n')])
      fs.writeFileSync(memoryOf(place), saved)
      const said = await noteMore(place)
      const kept = [...filesBelow(place.memory), ...filesBelow(place.keeper)].filter((file) =>
        fs.readFileSync(file).equals(saved),
      )

      assert.ok(kept.length > 0, 'the bytes are nowhere any more')
      assert.match(said + (await saidAtStart(place, 4)), /memory\.md/)
    })
  })

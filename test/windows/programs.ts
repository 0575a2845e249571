/** The programs beside the hooks: the server with its named pipe, the detached finisher, and several of them at once. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import {
  captured,
  done,
  filesBelow,
  hook,
  idOf,
  makePlace,
  notOnce,
  type Place,
  playSession,
  playTurn,
  program,
  run,
  settle,
  start,
  until,
  wordsOf,
} from './support/place.ts'
import { startServer } from './support/talk.ts'

/** Longer than any finisher runs. */
const STALE_SECONDS = 16 * 60

const isRecord = (file: string): boolean => file.endsWith('.json')
const records = (place: Place): string[] => filesBelow(path.join(place.keeper, 'servers')).filter(isRecord)

function answeredByServer(place: Place): number {
  const file = path.join(place.memory, 'journal', 'hooks.jsonl')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('"by":"server"').length - 1 : 0
}

/** Alone, before the others: a hook waits for a busy server only as long as that is cheaper than its own work. */
export const server = (): void =>
  void describe('the server', () => {
    it('speaks MCP over stdio, and answers prompts and stops over its named pipe', async (t) => {
      const place = makePlace({ user: '김 철수' })
      await playSession(place, 1, 1)
      await settle(place)
      const server = await startServer(place, t)
      const { tools = [] } = await server.ask('tools/list')
      assert.ok(tools.some(({ name }) => name === 'search_memory'))
      assert.match(await server.tool('search_memory', { query: 'cents' }), /ASK-1-0/)
      await until(
        () => records(place).length === 1,
        () => 'the server has not said where it listens',
      )

      for (let i = 0; i < 3; i++) assert.match(await playTurn(place, 2, i), /additionalContext/)
      await until(
        () => notOnce(place, wordsOf(2, 3)).length === 0,
        () => notOnce(place, wordsOf(2, 3)).join(', '),
      )
      // Not all six: a hook of a busy machine does the work itself.
      assert.ok(answeredByServer(place) > 0)
      assert.deepEqual(await server.end(), { code: 0, err: '' })
      assert.deepEqual(records(place), [])
    })

    it('killed, it leaves hooks that do the work themselves, and a record that the next one sweeps', async (t) => {
      const place = makePlace()
      await playSession(place, 1, 1)
      await settle(place)
      const first = await startServer(place, t)
      await until(
        () => records(place).length === 1,
        () => 'the first server has not said where it listens',
      )
      const [left] = records(place)
      first.child.kill('SIGKILL')
      await first.end()
      assert.match(await playTurn(place, 2, 0), /additionalContext/)
      assert.deepEqual(notOnce(place, wordsOf(2, 1)), [])

      const next = await startServer(place, t)
      await until(
        () => records(place).some((file) => file !== left),
        () => 'the next server has not said where it listens',
      )
      assert.equal(records(place).length, 1)
      assert.deepEqual(await next.end(), { code: 0, err: '' })
    })
  })

export const programs = (): void =>
  void describe('programs', { concurrency: 2 }, () => {
    it('the finisher outlives the hook that started it, and writes the note', async () => {
      const place = makePlace({ user: '佐藤 花子', config: { saveInterval: 2 } })
      await playSession(place, 1, 2)
      await settle(place)

      assert.match(fs.readFileSync(path.join(place.memory, 'memory.md'), 'utf8'), /session=00000001/)
      const prepared = await hook(place, idOf(2), 'SessionStart', { source: 'startup' })
      assert.match(prepared, /SAY-1-1/)
    })

    it('a finisher that is killed leaves its work to the next one, which does it once', async () => {
      const place = makePlace()
      for (let i = 0; i < 2; i++) await playTurn(place, 1, i)
      for (const ms of [150, 300, 600]) {
        const finisher = start(place, process.execPath, [program('keeper'), 'end', place.root, idOf(1)])
        const ended = new Promise((resolve) => finisher.on('close', resolve))
        setTimeout(() => finisher.kill('SIGKILL'), ms)
        await ended
      }
      // Windows soon gives the pid of a killed process to another one: then only the age of its entry shows that it has ended.
      const before = Date.now() / 1000 - STALE_SECONDS
      for (const file of filesBelow(path.join(place.keeper, 'finishers'))) fs.utimesSync(file, before, before)
      await playSession(place, 2, 1)
      await settle(place)

      assert.deepEqual(notOnce(place, [...wordsOf(1, 2), ...wordsOf(2, 1)]), [])
      const notes = fs.readFileSync(path.join(place.memory, 'memory.md'), 'utf8')
      assert.equal(notes.split('session=00000001').length - 1, 1)
    })

    it('sessions that work at the same time lose nothing to each other', async () => {
      const place = makePlace({ project: '공유 폴더' })
      const sessions = [1, 2, 3]
      await Promise.all(sessions.map((n) => playSession(place, n, 2)))
      await settle(place)
      // What a hook could not store for the lock of another one comes with the next session.
      await playSession(place, 9, 1)
      await settle(place)

      const words = sessions.flatMap((n) => wordsOf(n, 2))
      assert.deepEqual(notOnce(place, words), [])
      assert.match(await done(place, 'verify'), /complete: nothing/)
    })

    it('a reader never sees half a file, and does not keep a new one from its place', async () => {
      const place = makePlace()
      await playSession(place, 1, 1)
      await settle(place)
      const state = path.join(place.memory, 'memory-index.json')
      let isOver = false
      let read = 0
      const torn: string[] = []
      const reading = (async () => {
        while (!isOver) {
          try {
            JSON.parse(fs.readFileSync(state, 'utf8'))
            read++
          } catch (error) {
            // Between two files of the name there may be none.
            if (error instanceof SyntaxError) torn.push(String(error))
          }
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      })()
      for (let i = 0; i < 3; i++) await playTurn(place, 2, i)
      const held = filesBelow(place.memory).map((file) => fs.openSync(file, 'r'))
      await playTurn(place, 3, 0)
      for (const fd of held) fs.closeSync(fd)
      await playSession(place, 4, 1)
      await settle(place)
      isOver = true
      await reading

      assert.deepEqual(torn, [])
      assert.ok(read > 0)
      assert.deepEqual(notOnce(place, [...wordsOf(1, 1), ...wordsOf(2, 3), ...wordsOf(3, 1), ...wordsOf(4, 1)]), [])
      assert.deepEqual(
        filesBelow(place.memory).filter((file) => file.endsWith('.tmp')),
        [],
      )
    })

    it('the lock of a process that has ended is taken', async () => {
      const place = makePlace()
      await playSession(place, 1, 1)
      await settle(place)
      const lock = path.join(place.memory, '.lock')
      const code = `require('fs').writeFileSync(process.argv[1], JSON.stringify({ pid: process.pid }))`
      await run(place, process.execPath, ['-e', code, lock])
      await playTurn(place, 2, 0)

      assert.deepEqual(notOnce(place, wordsOf(2, 1)), [])
      assert.equal(fs.existsSync(lock), false)
      assert.ok(captured(place).length > 0)
    })
  })

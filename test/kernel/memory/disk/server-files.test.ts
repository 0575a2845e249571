/** What a killed server left goes: its answers, its pipe, its record. What a living one uses stays. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { performForget } from '../../../../src/core/forget/disk/forget.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import { sweepServers } from '../../../../src/kernel/memory/disk/server-files.ts'
import { SERVERS_DIR } from '../../../../src/kernel/platform/layout.ts'
import { locked } from '../../../support/notes.ts'
import { fastDir, NOW, quietProject, storeOf } from '../../../support/project.ts'
import { finishHere } from '../../../support/world.ts'

const OLD = new Date(Date.now() - 3_600_000)

function write(dir: string, name: string, text: string): string {
  const file = path.join(dir, name)
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  fs.writeFileSync(file, text, { mode: 0o600 })
  fs.utimesSync(file, OLD, OLD)
  return file
}

const record = (pid: number, address: string): string =>
  JSON.stringify({ pid, address, secret: 'a'.repeat(64), version: '1' })

it('files of a killed server are deleted, those of a living one are not', () => {
  const dir = fastDir()
  const here = (name: string): string => path.join(dir, name)
  write(dir, 'living.pipe', '')
  write(dir, '1-living.json', record(7, here('living.pipe')))
  write(dir, 'dead.pipe', '')
  write(dir, '2-dead.json', record(8, here('dead.pipe')))
  // Killed before it had a record.
  write(dir, 'unnamed.pipe', '')
  write(dir, 'aaaa.answer', '{"out":"words"}')
  fs.writeFileSync(here('fresh.answer'), '{"out":"words"}')
  fs.writeFileSync(here('starting.pipe'), '')
  sweepServers({ dir, tempDir: '', isAlive: (pid) => pid === 7 })

  expect(fs.readdirSync(dir).toSorted()).toEqual(['1-living.json', 'fresh.answer', 'living.pipe', 'starting.pipe'])
})

it('the finisher deletes old answers in the directories of all projects', async () => {
  const project = quietProject({}, fastDir())
  locked(storeOf(project), () => addOwnNote(storeOf(project), 'A note.', NOW))
  const answer = write(path.join(project.keeper, SERVERS_DIR, 'another-1234567890'), 'bbbb.answer', '{"out":"words"}')
  await finishHere(project, { for: 'catch-up' })

  expect(fs.existsSync(answer)).toBe(false)
})

it('forget deletes answers of servers, however new', () => {
  const project = quietProject({}, fastDir())
  const store = storeOf(project)
  locked(store, () => addOwnNote(store, 'The nightjar sings.', NOW))
  const answer = write(path.join(project.keeper, SERVERS_DIR, project.places.project.key), 'cccc.answer', 'nightjar')
  fs.utimesSync(answer, new Date(), new Date())
  performForget(store, { what: { is: 'query', query: 'nightjar' } }, NOW)

  expect(fs.existsSync(answer)).toBe(false)
})

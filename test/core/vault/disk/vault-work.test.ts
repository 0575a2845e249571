/** What waits for the sessions that come back from a copy. */
import { expect, it } from 'vitest'
import { withSessionsOf } from '../../../../src/core/vault/disk/vault.ts'
import { stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { withWork } from '../../../../src/kernel/memory/work.ts'
import { newItem } from '../../../../src/kernel/memory/work-item.ts'
import { decide } from '../../../support/decided.ts'
import { locked } from '../../../support/notes.ts'
import { fastDir, quietProject, sessionId, storeOf } from '../../../support/project.ts'

it('a session that comes back brings its work, and one that is here keeps its own', () => {
  const [theirs, ours] = [quietProject({}, fastDir()), quietProject({}, fastDir())]
  for (const session of [1, 2]) decide(storeOf(theirs), theirs, sessionId(session))
  decide(storeOf(ours), ours, sessionId(1))
  const store = storeOf(ours)
  locked(store, () => store.perform([stateEffect({ ...store.readState(), work: [] })]))
  const read = newItem({ kind: 'read', about: '00000002', to: 3, by: 'headless' })
  const joined = withSessionsOf(store, withWork(storeOf(theirs).readState(), [read]))

  expect(Object.keys(joined.sessions).sort()).toEqual([sessionId(1), sessionId(2)])
  expect(joined.work).toEqual([newItem({ kind: 'note', about: '00000002', to: 7 })])
})

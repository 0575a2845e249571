/** Sync as sessions live through it: fetched when one starts, exchanged when one ends, and never waited for. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { syncLine } from '../../../src/sync/disk/record.ts'
import { hasGit } from '../../support/git.ts'
import { type Machine, machines } from '../../support/machines.ts'
import { append, linesFor, sessionId, story } from '../../support/project.ts'
import { finishHere, hookHere, LATER } from '../../support/world.ts'

const WITH_GIT = { env: { PATH: process.env.PATH, HOME: '/nowhere' }, now: () => LATER }
/** Long after the last sync. */
const TOMORROW = { now: () => new Date(Date.now() + 24 * 60 * 60_000).toISOString() }

const start = (session: string) => ({ hook_event_name: 'SessionStart', session_id: session, source: 'startup' })

describe.skipIf(!hasGit)('a second machine', () => {
  it('is told at its first session in a project what the first one did, and gets no directory by that', async () => {
    const [desk, laptop] = machines('desk', 'laptop').all as [Machine, Machine]
    const session = sessionId(7)
    append(desk.project.transcriptOf(session), story(linesFor(session, desk.project.root)))
    await finishHere(desk.project, { for: 'end', session }, WITH_GIT)
    expect(syncLine(desk.project.keeper, 'UTC')).toMatchObject({ isFine: true })

    const first = hookHere(laptop.project, start(sessionId(8)), TOMORROW)
    expect(first.started).toEqual([{ for: 'catch-up' }])
    expect(first.context).not.toContain('Other Machines')
    await finishHere(laptop.project, { for: 'catch-up' }, WITH_GIT)

    const { context, started } = hookHere(laptop.project, start(sessionId(9)), { now: () => new Date().toISOString() })
    expect(context).toMatch(/## From Your Other Machines\n- desk:stands-00000007 2026-01-13: /)
    expect(started).toEqual([])
    expect(fs.existsSync(laptop.project.memory)).toBe(false)
    expect(desk.record().machines[laptop.id]?.problem).toContain('sent nothing yet')
  })

  it('hears of nothing where sync is off, and no program is started for it', () => {
    const [desk] = machines('desk').all as [Machine]
    fs.rmSync(path.join(desk.project.keeper, 'sync'), { recursive: true })

    expect(hookHere(desk.project, start(sessionId(8)), TOMORROW).started).toEqual([])
    expect(desk.sync(LATER)).toBeNull()
  })
})

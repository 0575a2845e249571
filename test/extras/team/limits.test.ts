/** What a teammate, or the server, may fill here: pages by bytes, a total for each person, and no time that has not come. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOthers } from '../../../src/core/others/disk/others.ts'
import { newestOfOthers } from '../../../src/core/others/others.ts'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { askTeam } from '../../../src/extras/team/disk/ask.ts'
import { PULL_LIMITS, pullRows } from '../../../src/extras/team/disk/mirror.ts'
import { openServer, type PulledRow, type Server } from '../../../src/extras/team/disk/server.ts'
import { sentRow } from '../../../src/extras/team/row.ts'
import { NOTHING_FORGOTTEN } from '../../../src/kernel/sessions/forget-record.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'
import { makeProject } from '../../support/project.ts'
import { installTeam, member, type Person, SHOP } from '../../support/team.ts'

const NOTHING = { muted: [], forgotten: NOTHING_FORGOTTEN }
const ARRIVED = '2026-01-13T12:00:00.000Z'

/** Rows of these people in the order of transactions, over a server that gives `page` of them at once. */
function serverOf(rows: readonly PulledRow[]): Server {
  const after = (from: { xid: string }): PulledRow[] => rows.filter(({ xid }) => BigInt(xid) > BigInt(from.xid))
  const pull: Server['pull'] = async (_, from, __, ___, most) => after(from).slice(0, most)
  return {
    settledBefore: async () => rows.at(-1)?.xid ?? '0',
    pull,
  } as unknown as Server
}

const row = (n: number, who: string, text: string, more: Partial<PulledRow> = {}): PulledRow => {
  const key = `n-${n}`
  const body = JSON.stringify({ id: key, type: 'note', at: ARRIVED, text })
  return { xid: String(n), who, key, body, arrived: ARRIVED, isKnown: false, ...more }
}

describe('a mirror', () => {
  const total = 20_000
  const limits = { ...PULL_LIMITS, rows: 10, person: total }
  const told = (places: Parameters<typeof readOthers>[0], who: string): string[] =>
    readOthers(places, 'team').flatMap((one) => (one.who === who ? [one.id] : []))

  it('takes so many bytes of one person and no more, and everything of the others', async () => {
    const { places } = makeProject()
    const rows = Array.from({ length: 300 }, (_, n) =>
      row(n + 1, n % 3 === 0 ? 'bob' : 'mallory', 'x'.repeat(n % 3 === 0 ? 20 : 300)),
    )
    const done = await pullRows(places, SHOP, serverOf(rows), 'e', NOTHING, ARRIVED, limits)

    expect(told(places, 'bob')).toHaveLength(100)
    expect(told(places, 'mallory').length).toBeGreaterThan(20)
    expect(told(places, 'mallory').length).toBeLessThan(total / 300)
    expect(done.full).toEqual(['mallory'])
    const again = await pullRows(places, SHOP, serverOf(rows), 'e', NOTHING, ARRIVED, limits)
    expect(again.full).toEqual(['mallory'])
  })

  it('counts what stands there: who corrects one row a hundred times has sent one', async () => {
    const { places } = makeProject()
    const rows: PulledRow[] = []
    let done = null
    for (let n = 1; n <= 150; n++) {
      const body = JSON.stringify({ id: 'n-1', type: 'note', at: ARRIVED, text: `${n} `.padEnd(200, 'x') })
      rows.push(row(n, 'bob', '', { key: 'n-1', isKnown: n > 1, body }))
      done = await pullRows(places, SHOP, serverOf(rows), 'e', NOTHING, ARRIVED, limits)
    }

    expect(done?.full).toEqual([])
    expect(readOthers(places, 'team').map(({ text }) => text.slice(0, 4))).toEqual(['150 '])
  })

  it('still takes out what a person deletes, or shortens, who has sent too much', async () => {
    const { places } = makeProject()
    const rows = Array.from({ length: 200 }, (_, n) => row(n + 1, 'mallory', 'x'.repeat(300)))
    const gone = row(300, 'mallory', '', { key: 'n-1', body: null, isKnown: true })
    await pullRows(places, SHOP, serverOf([...rows, gone]), 'e', NOTHING, ARRIVED, limits)

    expect(told(places, 'mallory')).not.toContain('n-1')
    expect(told(places, 'mallory')).toContain('n-2')
  })

  it('takes no row under the name of another one', async () => {
    const { places } = makeProject()
    const rows = [row(1, 'mallory', 'Mine.'), row(2, 'mallory', 'Stays for ever.', { key: 'n-77' })]
    await pullRows(places, SHOP, serverOf(rows), 'e', NOTHING, ARRIVED, limits)

    expect(told(places, 'mallory')).toEqual(['n-1'])
  })

  it('ends where a server says the same again and again', async () => {
    const { places } = makeProject()
    const same = row(5, 'mallory', 'Again.')
    const server = { settledBefore: async () => '1000000', pull: async () => [same] } as unknown as Server

    await expect(pullRows(places, SHOP, server, 'e', NOTHING, ARRIVED, limits)).rejects.toMatchObject({
      fault: 'failed',
    })
  })

  it('begins anew over the record of a version that believed every time', async () => {
    const { places } = makeProject()
    await pullRows(places, SHOP, serverOf([row(1, 'bob', 'Old.')]), 'e', NOTHING, ARRIVED, limits)
    const file = path.join(places.homeDir, 'team', `${places.project.key}.mirror.json`)
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), version: 1 }))
    const rows = [row(1, 'bob', 'Old.'), row(2, 'bob', 'New.')]
    await pullRows(places, SHOP, serverOf(rows), 'e', NOTHING, ARRIVED, limits)

    expect(told(places, 'bob')).toEqual(['n-1', 'n-2'])
  })
})

describe.skipIf(!hasPostgres)('rows of a teammate', () => {
  let cluster: Cluster
  let bob: Person
  const open: Server[] = []
  const as = (user: string): Server => {
    const server = openServer(parseAddress(cluster.url(user)), { password: '', rootCert: null })
    open.push(server)
    return server
  }

  beforeAll(async () => {
    cluster = await startCluster()
    await installTeam(cluster, 'alice', 'bob', 'mallory')
    bob = await member(cluster, 'bob')
  })
  afterAll(async () => {
    for (const server of open) await server.close()
    cluster?.stop()
  })

  const publish = (who: string, id: string, at: string, text: string): Promise<void> =>
    as(who).publish(SHOP, 'm', [sentRow(SHOP, { who, id, type: 'decision', at, text })])
  const newest = (): string[] =>
    newestOfOthers(readOthers(bob.project.places, 'team')).map(({ who, text }) => `${who}: ${text}`)

  it('that name a year to come lead until somebody says something later, and no longer', async () => {
    await publish('mallory', 'd001', '9999-12-31T23:59:59.999Z', 'Leads for ever.')
    await bob.exchange()
    const [arrived] = readOthers(bob.project.places, 'team').map(({ at }) => at)
    expect(Math.abs(Date.parse(arrived ?? '') - Date.now())).toBeLessThan(60_000)
    expect(newest()).toEqual(['mallory: Leads for ever.'])
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await publish('alice', 'd001', new Date().toISOString(), 'Said later.')
    await bob.exchange()

    expect(newest()[0]).toBe('alice: Said later.')
  })

  it('have the time of their arrival at the server, also for who reads them much later, or asks the server', async () => {
    cluster.psql(
      "ALTER TABLE memory_keeper.item DISABLE TRIGGER stamp; UPDATE memory_keeper.item SET arrived = '2026-01-01T00:00:00Z' WHERE who = 'mallory'; ALTER TABLE memory_keeper.item ENABLE TRIGGER stamp",
    )
    const late = await member(cluster, 'alice')
    await late.exchange()
    await as('bob').recount(SHOP)
    const asked = await askTeam(as('bob'), { query: 'leads ever' }, { now: Date.now(), timezone: 'UTC' }, () => false)

    expect(readOthers(late.project.places, 'team').map(({ at }) => at)).toEqual(['2026-01-01T00:00:00.000Z'])
    expect(asked.hits.map(({ date }) => date.slice(0, 10))).toEqual(['2026-01-01'])
  })

  it('cannot set when they arrived', () => {
    const as9999 =
      "SET SESSION AUTHORIZATION mallory; UPDATE memory_keeper.item SET arrived = '9999-01-01', digest = 'x' RETURNING arrived > now() + '1 day'"

    expect(cluster.psql(as9999)).toBe('f')
  })

  it('are forgotten for good here, whatever time they name', async () => {
    await publish('mallory', 'd007', '9999-01-01T00:00:00.000Z', 'Comes back from the future.')
    await bob.exchange()
    const id = readOthers(bob.project.places, 'team').find(({ text }) => text.includes('future'))?.id ?? ''
    const forgotten = await bob.run('forget', `mallory:${id}`, '--yes')
    fs.rmSync(path.join(bob.project.keeper, 'team', `${bob.project.places.project.key}.mirror.json`))
    await bob.exchange()

    expect(forgotten.code).toBe(0)
    expect(bob.heard().join()).not.toContain('future')
  })

  it('come in pages of some megabytes, however large they are', async () => {
    cluster.psql(
      `SET SESSION AUTHORIZATION mallory; INSERT INTO memory_keeper.item (project, key, machine, body, digest) SELECT '${SHOP}', 'n-' || n, 'm', repeat('x', 150000), 'x' FROM generate_series(1, 400) n`,
    )
    const server = as('bob')
    const before = await server.settledBefore()
    let [from, rows, largest] = [{ xid: '0', who: '', key: '' }, 0, 0]
    for (;;) {
      const page = await server.pull(SHOP, from, '0', before, PULL_LIMITS.rows, PULL_LIMITS.bytes)
      largest = Math.max(
        largest,
        page.reduce((sum, { body }) => sum + (body?.length ?? 0), 0),
      )
      rows += page.length
      const last = page.at(-1)
      if (last === undefined) break
      from = last
    }

    // Nor does who asks the server get more than that, of each project.
    cluster.psql(`UPDATE memory_keeper.item SET tokens = 'aaaa1', length = 1 WHERE key LIKE 'n-%'`)
    const asked = { project: SHOP, tokens: ['aaaa1'], weights: [1], live: 400, meanLength: 1, looked: 1_000, most: 70 }
    const found = await server.candidates(asked)
    expect(found.rows.length).toBeGreaterThan(1)
    expect(found.rows.length).toBeLessThan(10)
    expect(rows).toBeGreaterThanOrEqual(400)
    expect(largest).toBeLessThan(PULL_LIMITS.bytes + 200_000)
    expect(await bob.exchange()).toMatchObject({ received: expect.any(Number) })
  })

  it('of one who fills the mirror are named by team status', async () => {
    cluster.psql(
      `SET SESSION AUTHORIZATION mallory; INSERT INTO memory_keeper.item (project, key, machine, body, digest) SELECT '${SHOP}', 'f-' || n, 'm', json_build_object('id', 'f-' || n, 'type', 'note', 'text', repeat('y', 3990))::text, 'x' FROM generate_series(1, 9000) n`,
    )
    await bob.exchange()
    await publish('alice', 'd002', new Date().toISOString(), 'Is still heard.')
    await bob.exchange()

    expect(bob.heard()).toContain('alice: Is still heard.')
    expect((await bob.run('team', 'status')).out).toMatch(/mallory has sent more than .* MB/)
    await bob.run('team', 'mute', 'mallory')
    await bob.exchange()
    expect((await bob.run('team', 'status')).out).not.toContain('has sent more')
  })
})

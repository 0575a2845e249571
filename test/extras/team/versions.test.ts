/** Two versions at one server: 0.6.1's own client (test/fixtures/0.6.1) on today's tables, and ours on those that it made. */
import crypto from 'node:crypto'
import { createRequire } from 'node:module'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/extras/team/address.ts'
import type { openServer as OpenServer, Server } from '../../../src/extras/team/disk/server.ts'
import { openServer } from '../../../src/extras/team/disk/server.ts'
import type { SentRow } from '../../../src/extras/team/row.ts'
import { MIGRATIONS } from '../../../src/extras/team/schema.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'

const OLD = path.join(import.meta.dirname, '..', '..', 'fixtures', '0.6.1', 'team.cjs')
const released = createRequire(import.meta.url)(OLD) as { openServer: typeof OpenServer }
const SHOP = 'github.com/acme/shop'
const BANK = 'github.com/acme/bank'
const START = { xid: '0', who: '', key: '' }
/** A word has its count from this many rows on. */
const MANY = 250

const rowsWith = (tokens: string, many = 1, first = 0): SentRow[] =>
  Array.from({ length: many }, (_, n) => {
    const key = `n-${first + n}`
    const body = JSON.stringify({ id: key, type: 'note', text: `Text ${key}.`, at: '2026-01-13T12:00:00.000Z' })
    return { key, body, digest: key, tokens, length: 1 }
  })

const asking = (project: string, ...tokens: string[]): Parameters<Server['candidates']>[0] => ({
  ...{ project, tokens, weights: tokens.map(() => 1), live: MANY, meanLength: 1, looked: 1_000, most: 5 },
})

it('the migrations of earlier versions are as they were released', () => {
  const sums = MIGRATIONS.map(({ sql }) => crypto.createHash('sha256').update(sql).digest('hex').slice(0, 16))

  expect(sums[0]).toBe('8234fc1e768cd099')
})

describe.skipIf(!hasPostgres)('the tables of two versions', () => {
  let cluster: Cluster
  let databases = 0
  let database = ''
  const open: Server[] = []
  const as = (user: string, from: typeof OpenServer = openServer): Server => {
    const server = from(parseAddress(cluster.url(user, database)), { password: '', rootCert: null })
    open.push(server)
    return server
  }
  const asOld = (user: string): Server => as(user, released.openServer)
  const pulled = async (server: Server, project = SHOP): Promise<string[]> => {
    const rows = await server.pull(project, START, '0', await server.settledBefore(), 1000, 1e9)
    return rows.map(({ who, key }) => `${who}:${key}`)
  }
  const people = (server: Server): Promise<string[]> =>
    server.addMembers([
      { who: 'alice', projects: [SHOP], password: 'secret' },
      { who: 'bob', projects: [SHOP], password: 'secret' },
      { who: 'carol', projects: [BANK], password: 'secret' },
    ])
  const newDatabase = (): void => {
    database = `d${++databases}`
    cluster.psql(`CREATE DATABASE ${database}`)
    cluster.psql(`GRANT CREATE ON DATABASE ${database} TO admin`)
  }

  beforeAll(async () => {
    cluster = await startCluster()
    cluster.psql('CREATE ROLE admin LOGIN CREATEROLE')
  })
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close()
  })
  afterAll(() => cluster?.stop())

  it('counts the words of a project for its members only, and for itself', async () => {
    newDatabase()
    await as('admin').install()
    await people(as('admin'))
    await as('alice').publish(SHOP, 'm', rowsWith('zzword zzother', MANY))
    await as('alice').recount(SHOP)
    const before = await as('alice').candidates(asking(SHOP, 'zzword'))
    // Carol's own project, in which she writes what she likes: the words of another one.
    const carol = as('carol')
    await carol.publish(BANK, 'm', rowsWith('zzword', MANY + 150))
    await carol.recount(BANK)

    expect(before.docs).toEqual([MANY])
    expect((await as('alice').candidates(asking(SHOP, 'zzword'))).docs).toEqual([MANY])
    // `zzother` stands in none of her rows: its count elsewhere is not hers to read.
    expect((await carol.candidates(asking(BANK, 'zzword', 'zzother'))).docs).toEqual([MANY + 150, 0])
    for (const statement of [
      'SELECT * FROM memory_keeper.common',
      'SELECT * FROM memory_keeper.stat',
      `SELECT memory_keeper.count_words('${SHOP}', 0, 0)`,
    ])
      expect(() => cluster.psql(`SET SESSION AUTHORIZATION carol; ${statement}`, database)).toThrow(/permission denied/)
    // And her project takes no counts of others with it when it shrinks.
    await carol.erase()
    await carol.recount(BANK)
    expect((await as('alice').candidates(asking(SHOP, 'zzword'))).docs).toEqual([MANY])
  })

  it('are made new by an update, with counts of each project for itself, whatever stood there', async () => {
    newDatabase()
    await asOld('admin').install()
    await people(asOld('admin'))
    await asOld('alice').publish(SHOP, 'm', rowsWith('zzword', MANY))
    await asOld('alice').recount(SHOP)
    const carol = asOld('carol')
    await carol.publish(BANK, 'm', rowsWith('zzword', MANY + 150))
    await carol.recount(BANK)
    // As it is today: hers is told to everybody.
    expect((await asOld('alice').candidates(asking(SHOP, 'zzword'))).docs).toEqual([MANY + 150])
    const refused = as('alice').hello()
    await expect(refused).rejects.toMatchObject({ fault: 'older' })
    await expect(refused).rejects.toThrow('memory-keeper team init')
    expect(await as('admin').install()).toBe(1)

    expect((await as('alice').hello()).projects).toEqual([SHOP])
    expect((await as('alice').candidates(asking(SHOP, 'zzword'))).docs).toEqual([MANY])
    expect(await as('alice').sizes()).toEqual([{ project: SHOP, live: MANY, length: MANY }])
    expect(await pulled(as('bob'))).toHaveLength(MANY)
    expect(cluster.psql('SELECT count(*) FROM memory_keeper.item WHERE arrived IS NULL', database)).toBe('0')
  })

  it('of today are used by 0.6.1, which sees and sends as before', async () => {
    newDatabase()
    await as('admin').install()
    await people(asOld('admin'))
    await as('alice').publish(SHOP, 'm', rowsWith('zzword', 3))
    const bob = asOld('bob')

    expect(await bob.hello()).toMatchObject({ who: 'bob', projects: [SHOP] })
    expect(await pulled(bob)).toEqual(['alice:n-0', 'alice:n-1', 'alice:n-2'])
    await bob.publish(SHOP, 'm', rowsWith('zzword', MANY, 10))
    await bob.recount(SHOP)
    expect((await bob.sentBy(SHOP, 'm')).size).toBe(MANY)
    expect(await bob.sizes()).toEqual([{ project: SHOP, live: MANY + 3, length: MANY + 3 }])
    expect(await bob.candidates(asking(SHOP, 'zzword'))).toMatchObject({ rows: [{}, {}, {}, {}, {}], docs: [MANY + 3] })
    expect(await pulled(as('alice'))).toHaveLength(MANY)
    expect(await bob.erase()).toBe(MANY)
    // Its administrator, too.
    expect(await asOld('admin').install()).toBe(2)
    await asOld('admin').addMembers([{ who: 'bob', projects: [BANK], password: 'secret' }])
    expect((await as('bob').hello()).projects).toEqual([BANK, SHOP])
  })
})

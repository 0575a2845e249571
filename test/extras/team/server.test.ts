/** The team's tables on a real PostgreSQL: who reads and writes what, migrations, order of transactions. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { openServer, type Server } from '../../../src/extras/team/disk/server.ts'
import { type SentRow, sentRow } from '../../../src/extras/team/row.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'

const SHOP = 'github.com/acme/shop'
const BANK = 'github.com/acme/bank'
const START = { xid: '0', who: '', key: '' }

const rowOf = (key: string, text = key): SentRow => ({
  key,
  body: JSON.stringify({ text }),
  digest: text,
  tokens: 'aaaa1:1',
  length: 1,
})

const deletedRow = (key: string): SentRow => ({ key, body: null, digest: '-', tokens: '', length: 0 })

describe.skipIf(!hasPostgres)('the team server', () => {
  let cluster: Cluster
  const open: Server[] = []
  const as = (user: string): Server => {
    const server = openServer(parseAddress(cluster.url(user)), { password: '', rootCert: null })
    open.push(server)
    return server
  }
  /** All rows of a project that this server's user can see and did not write. */
  const rowsFor = async (server: Server, project = SHOP): Promise<string[]> => {
    const rows = await server.pull(project, START, '0', await server.settledBefore(), 1000, 1e9)
    return rows.map(({ who, key, body }) => `${who}:${key}${body === null ? ' gone' : ''}`)
  }

  beforeAll(async () => {
    cluster = await startCluster()
    // The table's owner is no superuser: those read everything anyway.
    cluster.psql(
      'CREATE ROLE admin LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO admin; CREATE ROLE nobody LOGIN',
    )
    const admin = as('admin')
    await admin.install()
    const members = ['alice', 'bob'].map((who) => ({ who, projects: [SHOP], password: 'secret' }))
    await admin.addMembers([...members, { who: 'carol', projects: [BANK], password: 'secret' }])
    await as('alice').publish(SHOP, 'm1', [rowOf('d001'), rowOf('d002')])
  })
  afterAll(async () => {
    for (const server of open) await server.close()
    cluster?.stop()
  })

  it('is installed again without a change', async () => {
    expect(await as('admin').install()).toBe(2)
    expect(cluster.psql('SELECT count(*) FROM memory_keeper.migration')).toBe('2')
    expect((await as('alice').hello()).projects).toEqual([SHOP])
  })

  it('shows a member the rows of their projects, and nobody else', async () => {
    expect(await rowsFor(as('bob'))).toEqual(['alice:d001', 'alice:d002'])
    expect(await rowsFor(as('carol'))).toEqual([])
    await expect(rowsFor(as('nobody'))).rejects.toMatchObject({ fault: 'removed' })
  })

  it('shows the owner of the tables no row', async () => {
    const seen = as('admin').sentBy(SHOP, 'm1')

    expect([...(await seen)]).toEqual([])
    expect(cluster.psql('SET ROLE admin; SELECT count(*) FROM memory_keeper.item')).toBe('0')
    expect(cluster.psql('SET ROLE admin; SELECT count(*) FROM memory_keeper.item_0')).toBe('0')
  })

  it('lets a member write in their own name and projects only', async () => {
    const asBob = (statement: string): string => cluster.psql(`SET SESSION AUTHORIZATION bob; ${statement}`)
    const columns = 'INSERT INTO memory_keeper.item (project, who, key, machine, body, digest) VALUES'

    expect(() => asBob(`${columns} ('${SHOP}', 'alice', 'd009', 'm', '{}', 'x')`)).toThrow(/row-level security/)
    expect(() => asBob(`${columns} ('${BANK}', 'bob', 'd009', 'm', '{}', 'x')`)).toThrow(/row-level security/)
    expect(asBob("UPDATE memory_keeper.item SET body = 'mine' WHERE who = 'alice' RETURNING key")).toBe('')
    expect(() => asBob("UPDATE memory_keeper.item SET who = 'alice' WHERE who = 'bob'")).not.toThrow()
    expect(() => asBob('DELETE FROM memory_keeper.item')).toThrow(/permission denied/)
    expect(() => asBob(`INSERT INTO memory_keeper.member VALUES ('${BANK}', 'bob')`)).toThrow(/permission denied/)
    expect(() => asBob('SET ROLE alice')).toThrow(/permission denied/)
    expect(() => asBob('SET ROLE memory_keeper_search')).toThrow(/permission denied/)
    expect(() => asBob('SELECT * FROM memory_keeper.item_3')).toThrow(/permission denied/)
    await expect(as('bob').publish(BANK, 'm', [rowOf('d001')])).rejects.toMatchObject({ fault: 'removed' })
  })

  it('does not let a client set who wrote a row last, and when', () => {
    const changed = `SET SESSION AUTHORIZATION alice; UPDATE memory_keeper.item SET xid = '3', born = '4' WHERE key = 'd001' RETURNING xid = '3' OR born = '4'`

    expect(cluster.psql(changed)).toBe('f')
  })

  it('answers searches of members only, about their projects only', async () => {
    await as('alice').recount(SHOP)
    const asked = {
      project: SHOP,
      tokens: ['aaaa1', 'aaaa2'],
      weights: [1, 1],
      live: 2,
      meanLength: 1,
      looked: 100,
      most: 10,
    }

    expect(await as('bob').candidates(asked)).toMatchObject({
      rows: [{ who: 'alice' }, { who: 'alice' }],
      docs: [2, 0],
    })
    expect(await as('carol').candidates(asked)).toEqual({ rows: [], docs: [] })
    expect(await as('carol').sizes()).toEqual([{ project: BANK, live: 0, length: 0 }])
    await expect(as('nobody').candidates(asked)).rejects.toMatchObject({ fault: 'removed' })
    await expect(as('admin').candidates(asked)).rejects.toMatchObject({ fault: 'removed' })
  })

  it('uses the index of tokens in a search', () => {
    const plan = cluster.psql(
      "SET enable_seqscan = off; SET ROLE memory_keeper_search; EXPLAIN SELECT * FROM memory_keeper.item WHERE tokens @@ 'aaaa1'",
    )

    expect(plan).toMatch(/Bitmap Index Scan on item_\d+_tokens_idx/)
  })

  it('takes a row once, however often and from wherever it is sent, and changes only what changed', async () => {
    const [first, second] = [as('alice'), as('alice')]
    await Promise.all([first.publish(SHOP, 'm1', [rowOf('d003')]), second.publish(SHOP, 'm2', [rowOf('d003')])])
    const stamp = (): string => cluster.psql("SELECT xid FROM memory_keeper.item WHERE key = 'd003'")
    const before = stamp()
    await first.publish(SHOP, 'm1', [rowOf('d003')])

    expect(stamp()).toBe(before)
    await first.publish(SHOP, 'm1', [rowOf('d003', 'corrected')])
    expect(stamp()).not.toBe(before)
    expect(cluster.psql("SELECT count(*) FROM memory_keeper.item WHERE key = 'd003'")).toBe('1')
  })

  it('takes rows as long and as strange as they come', async () => {
    const long = 'é"\\\u0000\ud800 '.repeat(4_000)
    const strange = sentRow(BANK, {
      who: 'carol',
      id: 'n-1',
      type: 'note',
      at: '',
      text: long.slice(0, 4_000),
      reason: long.slice(0, 4_000),
    })
    await as('carol').publish(BANK, 'm', [strange, { ...rowOf('long'), body: JSON.stringify({ long }) }])

    expect(await as('carol').sentBy(BANK, 'm')).toEqual(
      new Map([
        ['n-1', strange.digest],
        ['long', 'long'],
      ]),
    )
  })

  it('keeps what was deleted as a row, which only the machine that deleted it brings back', async () => {
    const alice = as('alice')
    await alice.publish(SHOP, 'm1', [rowOf('d004')])
    await alice.publish(SHOP, 'm1', [deletedRow('d004')])

    expect(await rowsFor(as('bob'))).toContain('alice:d004 gone')
    await alice.publish(SHOP, 'm2', [rowOf('d004')])
    expect(await rowsFor(as('bob'))).toContain('alice:d004 gone')
    await alice.publish(SHOP, 'm1', [rowOf('d004')])
    expect(await rowsFor(as('bob'))).toContain('alice:d004')
  })

  it('refuses a removed member, who keeps their role', async () => {
    await as('admin').addMembers([{ who: 'dave', projects: [SHOP], password: 'secret' }])
    await as('dave').publish(SHOP, 'm', [rowOf('d001')])
    await as('admin').removeMembers(['dave'], [])

    expect(await rowsFor(as('dave'))).toEqual([])
    expect((await as('dave').hello()).projects).toEqual([])
    await expect(as('dave').publish(SHOP, 'm', [rowOf('d002')])).rejects.toMatchObject({ fault: 'removed' })
  })

  it('asks for a password over loopback and refuses a wrong one', async () => {
    const server = openServer(parseAddress(cluster.tcp('alice', 'wrong')), { password: 'wrong', rootCert: null })
    open.push(server)
    const right = openServer(parseAddress(cluster.tcp('alice', 'secret')), { password: 'secret', rootCert: null })
    open.push(right)

    await expect(server.hello()).rejects.toMatchObject({ fault: 'refused' })
    expect((await right.hello()).who).toBe('alice')
  })

  it('speaks TLS, and refuses a certificate that nobody vouches for', async () => {
    const [key, cert] = ['key', 'cert'].map((name) => path.join(cluster.dir, `${name}.pem`))
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    execFileSync(
      'openssl',
      [
        ...args,
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        key ?? '',
        '-out',
        cert ?? '',
      ],
      { stdio: 'ignore' },
    )
    const { uid, gid } = fs.statSync(cluster.dir)
    fs.chownSync(key ?? '', uid, gid)
    fs.chmodSync(key ?? '', 0o600)
    for (const set of [`ssl_key_file = '${key}'`, `ssl_cert_file = '${cert}'`, 'ssl = on'])
      cluster.psql(`ALTER SYSTEM SET ${set}`)
    cluster.psql('SELECT pg_reload_conf(), pg_sleep(0.3)')
    const url = `postgres://alice@localhost:${cluster.port}/postgres?sslmode=verify-full`
    const over = (rootCert: string | null): Server => {
      const server = openServer(parseAddress(url), { password: 'secret', rootCert })
      open.push(server)
      return server
    }

    expect((await over(fs.readFileSync(cert ?? '', 'utf8')).hello()).who).toBe('alice')
    await expect(over(null).hello()).rejects.toMatchObject({ fault: 'untrusted' })
  })

  it('refuses a schema that needs a newer program, and says so where there is none', async () => {
    cluster.psql('CREATE DATABASE later')
    cluster.psql('CREATE DATABASE bare')
    const later = openServer(parseAddress(cluster.url('postgres', 'later')), { password: '', rootCert: null })
    const bare = openServer(parseAddress(cluster.url('alice', 'bare')), { password: '', rootCert: null })
    open.push(later, bare)
    await later.install()
    cluster.psql("INSERT INTO memory_keeper.migration VALUES (3, 1, 'e')", 'later')
    expect((await later.hello()).who).toBe('postgres')
    cluster.psql("INSERT INTO memory_keeper.migration VALUES (4, 4, 'e')", 'later')

    await expect(later.hello()).rejects.toMatchObject({ fault: 'newer' })
    await expect(later.install()).rejects.toMatchObject({ fault: 'newer' })
    await expect(bare.hello()).rejects.toMatchObject({ fault: 'older' })
  })

  it('stamps the rows of a restored dump anew, so that mirrors see them', async () => {
    cluster.psql(
      "ALTER TABLE memory_keeper.item DISABLE TRIGGER stamp; UPDATE memory_keeper.item SET xid = '9000000000', born = '9000000000' WHERE key = 'd001'; ALTER TABLE memory_keeper.item ENABLE TRIGGER stamp",
    )
    const { epoch } = await as('bob').hello()
    expect(await rowsFor(as('bob'))).not.toContain('alice:d001')
    await as('admin').install()

    expect(await rowsFor(as('bob'))).toContain('alice:d001')
    expect((await as('bob').hello()).epoch).not.toBe(epoch)
    expect(cluster.psql("SELECT count(*) FROM memory_keeper.item WHERE born > xid OR born = '9000000000'")).toBe('0')
  })
})

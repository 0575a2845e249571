/** What goes wrong with a server: nothing is lost, nothing doubled, and `team status` says it in a sentence. */

import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatItems } from '../../../src/core/knowledge/facts-file.ts'
import { readOthers } from '../../../src/core/others/disk/others.ts'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { PULL_LIMITS, pullRows } from '../../../src/extras/team/disk/mirror.ts'
import { openServer, type Server } from '../../../src/extras/team/disk/server.ts'
import { teamWork } from '../../../src/extras/team/disk/work.ts'
import { NOTHING_FORGOTTEN } from '../../../src/kernel/sessions/forget-record.ts'
import { fact, factsWith } from '../../support/fact.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'
import { runCommand } from '../../support/process.ts'
import { storeOf, write } from '../../support/project.ts'
import { installTeam, member, type Person, SHOP } from '../../support/team.ts'

describe.skipIf(!hasPostgres)('a server with faults', () => {
  let cluster: Cluster
  let alice: Person
  let bob: Person

  const count = (): number => Number(cluster.psql('SELECT count(*) FROM memory_keeper.item WHERE body IS NOT NULL'))
  const statusOf = async (one: Person): Promise<string> => (await one.run('team', 'status')).out
  /** The same exchange, over a server that does something of its own before a statement. */
  const exchangeOver = (
    one: Person,
    change: (server: Server) => Partial<Server>,
    limitMs?: number,
  ): ReturnType<typeof teamWork> =>
    teamWork(
      storeOf(one.project),
      {
        env: {},
        home: one.project.home,
        platform: process.platform,
        now: () => new Date().toISOString(),
        loadTeam: () => ({
          openServer: (...args) => {
            const server = openServer(...args)
            return { ...server, ...change(server) }
          },
        }),
      },
      limitMs,
    )
  const decideMany = (one: Person, many: number): void => {
    const facts = Array.from({ length: many }, (_, n) =>
      fact({ id: `d${n + 1}`, text: `Decision number ${n} holds.`, at: new Date(1.7e12 + n * 1000).toISOString() }),
    )
    write(path.join(one.project.memory, 'facts.json'), formatItems(factsWith(...facts)))
  }

  beforeAll(async () => {
    cluster = await startCluster({ fsync: 'on', synchronous_commit: 'on' })
    await installTeam(cluster, 'alice', 'bob', 'carol', 'dave')
    alice = await member(cluster, 'alice')
    bob = await member(cluster, 'bob')
  })
  afterAll(() => cluster?.stop())

  it('that is killed in the middle of a publish gets the rest later, each row once', async () => {
    decideMany(alice, 1_200)
    let batches = 0
    const done = await exchangeOver(alice, ({ publish }) => ({
      publish: (...args) => {
        if (++batches === 2) cluster.crash()
        return publish(...args)
      },
    }))

    expect(done).toBeNull()
    expect(await statusOf(alice)).toMatch(/700 rows to be sent; .*cannot be reached/)
    await cluster.start()
    expect(count()).toBe(500)
    expect(await alice.exchange()).toMatchObject({ sent: 700 })
    expect(count()).toBe(1_200)
    expect(await statusOf(alice)).toMatch(/nothing waits; last connected [^;]*\n/)
  })

  it('that dies behind the commit and before we know of it gets no row twice', async () => {
    alice.decide('This one is committed unnoticed.')
    await exchangeOver(alice, ({ publish }) => ({
      publish: async (...args) => {
        await publish(...args)
        throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
      },
    })).catch(() => undefined)
    const stamp = cluster.psql('SELECT max(xid::text::bigint) FROM memory_keeper.item')

    expect(await alice.exchange()).toMatchObject({ sent: 1 })
    expect(count()).toBe(1_201)
    expect(cluster.psql('SELECT max(xid::text::bigint) FROM memory_keeper.item')).toBe(stamp)
  })

  it('that is killed in the middle of a mirror is read on from there', async () => {
    const { places } = bob.project
    const pulling = async (stopAfter: number): Promise<void> => {
      const server = openServer(parseAddress(cluster.url('bob')), { password: '', rootCert: null })
      const { epoch } = await server.hello()
      let pages = 0
      const pull: Server['pull'] = (...args) => {
        if (++pages > stopAfter) cluster.crash()
        return server.pull(...args)
      }
      await pullRows(
        places,
        SHOP,
        { ...server, pull },
        epoch,
        { muted: [], forgotten: NOTHING_FORGOTTEN },
        new Date().toISOString(),
        { ...PULL_LIMITS, rows: 100 },
      ).finally(() => server.close())
    }
    await expect(pulling(5)).rejects.toMatchObject({ fault: 'away' })
    expect(bob.heard()).toHaveLength(500)
    await cluster.start()
    await pulling(Number.POSITIVE_INFINITY)

    expect(bob.heard()).toHaveLength(1_201)
  })

  it('loses and doubles nothing when we are killed between writing rows and writing down how far', async () => {
    const record = path.join(bob.project.keeper, 'team', `${bob.project.places.project.key}.mirror.json`)
    const before = fs.readFileSync(record)
    alice.decide('Two come.')
    runCommand(alice.project, ['facts', 'edit', 'd7', '--text', 'Decision number seven was corrected.'])
    await alice.exchange()
    await bob.exchange()
    const heard = bob.heard()
    fs.writeFileSync(record, before)
    await bob.exchange()

    expect(bob.heard()).toEqual(heard)
    expect(heard).toHaveLength(1_202)
    expect(heard).toContain('alice: Decision number seven was corrected.')
    const lines = readOthers(bob.project.places, 'team').map(({ id }) => id)
    expect(new Set(lines).size).toBe(lines.length)
  })

  it('that does not answer costs the time limit and nothing else', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as net.AddressInfo
    const file = path.join(alice.project.keeper, 'team', 'team.json')
    const joined = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(joined), url: `postgres://alice@127.0.0.1:${port}/postgres` }),
    )
    const began = Date.now()
    alice.decide('Waits for a slow server.')

    expect(await alice.exchange(300)).toBeNull()
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(await statusOf(alice)).toMatch(/1 row to be sent; .*did not answer in time/)
    fs.writeFileSync(file, joined)
    silent.close()
    expect(await alice.exchange()).toMatchObject({ sent: 1 })
  })

  it('whose connection is cut in the middle of a statement is asked again later', async () => {
    alice.decide('Cut in the middle.')
    const cut = exchangeOver(alice, ({ publish }) => ({
      publish: async (...args) => {
        const done = publish(...args)
        cluster.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'alice'")
        await done
      },
    }))
    const first = await cut

    expect(first === null || first.sent === 1).toBe(true)
    await alice.exchange()
    expect(Number(cluster.psql("SELECT count(*) FROM memory_keeper.item WHERE body LIKE '%Cut in the middle%'"))).toBe(
      1,
    )
  })

  it('with a newer schema or a full disk gets nothing until that is over', async () => {
    cluster.psql("INSERT INTO memory_keeper.migration VALUES (99, 99, 'e')")
    alice.decide('Waits for the update.')
    expect(await alice.exchange()).toBeNull()
    expect(await statusOf(alice)).toMatch(/1 row to be sent; .*Update the plugin/)
    cluster.psql('DELETE FROM memory_keeper.migration WHERE version = 99')
    cluster.psql(
      "CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$; CREATE TRIGGER fails BEFORE INSERT ON memory_keeper.item FOR EACH ROW EXECUTE FUNCTION fails()",
    )
    expect(await alice.exchange()).toBeNull()
    expect(await statusOf(alice)).toMatch(/1 row to be sent; .*disk is full/)
    cluster.psql('DROP TRIGGER fails ON memory_keeper.item')

    expect(await alice.exchange()).toMatchObject({ sent: 1 })
    expect(await statusOf(alice)).toMatch(/nothing waits; last connected [^;]*\n/)
  })

  it('is known by what the client says of it, in whichever file the client lies', async () => {
    const foreign = Object.assign(new Error('Said in another file.'), { name: 'KeeperError', code: 'team-failed' })
    const hello = (): Promise<never> => Promise.reject(foreign)

    expect(await exchangeOver(alice, () => ({ hello }))).toBeNull()
    expect(await statusOf(alice)).toContain('Said in another file')
  })

  it('orders by transactions: clocks that differ by years hide nothing', async () => {
    const carol = await member(cluster, 'carol')
    const facts = [
      fact({ id: 'd001', text: 'From the past.', at: '1999-01-01T00:00:00.000Z' }),
      fact({ id: 'd002', text: 'From the future.', at: '2199-01-01T00:00:00.000Z' }),
    ]
    write(path.join(carol.project.memory, 'facts.json'), formatItems(factsWith(...facts)))
    await carol.exchange()
    await bob.exchange()

    expect(bob.heard().filter((line) => line.startsWith('carol'))).toEqual([
      'carol: From the future.',
      'carol: From the past.',
    ])
  })

  it('converges: whoever decides, corrects, rejects and exchanges in whatever order', async () => {
    const people = await Promise.all(['alice', 'carol', 'dave', 'dave'].map((who) => member(cluster, who)))
    cluster.psql('UPDATE memory_keeper.item SET body = NULL')
    let texts = 0
    const act = fc.record({
      who: fc.nat(3),
      does: fc.constantFrom('decide', 'edit', 'reject', 'restore', 'exchange', 'lose'),
      id: fc.integer({ min: 1, max: 4 }),
    })
    const live = (one: Person): string[] => {
      const facts = runCommand(one.project, ['facts', 'list', '--json']).out
      return (JSON.parse(facts) as { facts: { text: string; state: string }[] }).facts
        .filter(({ state }) => state === 'fresh')
        .map(({ text }) => text)
    }
    const does: Record<string, (one: Person, id: string) => unknown> = {
      decide: (one) => one.decide(`Text ${++texts}.`),
      edit: (one, id) => runCommand(one.project, ['facts', 'edit', id, '--text', `Text ${++texts}.`]),
      reject: (one, id) => runCommand(one.project, ['facts', 'reject', id]),
      restore: (one, id) => runCommand(one.project, ['facts', 'restore', id]),
      exchange: (one) => one.exchange(),
      lose: (one) =>
        fs.rmSync(path.join(one.project.keeper, 'team', `${one.project.places.project.key}.outbox.json`), {
          force: true,
        }),
    }
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        for (const { who, does: what, id } of acts) await does[what]?.(people[who] as Person, `d00${id}`)
        for (const one of [...people, ...people]) await one.exchange()
        const [a = [], c = [], d1 = [], d2 = []] = people.map(live)
        const named = (who: string, all: readonly string[]): string[] => all.map((text) => `${who}: ${text}`)
        const own = people[0]?.heard().filter((line) => !line.startsWith('bob'))
        expect(own).toEqual([...named('carol', c), ...named('dave', [...d1, ...d2])].sort())
        expect(people[2]?.heard()).toEqual([...named('alice', a), ...named('carol', c)].sort())
      }),
      { numRuns: 8 },
    )
  })
})

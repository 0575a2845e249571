/** Two people and one server: what is shared arrives, what is corrected or forgotten follows, nothing is lost or doubled. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillVault } from '../../../src/core/vault/disk/vault-restore.ts'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { openServer } from '../../../src/extras/team/disk/server.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'
import { runCommand } from '../../support/process.ts'
import { storeOf, write } from '../../support/project.ts'
import { installTeam, member, type Person, person, SHOP } from '../../support/team.ts'

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`

describe.skipIf(!hasPostgres)('a team', () => {
  let cluster: Cluster
  let admin: Person
  let alice: Person
  let bob: Person

  const rows = (): string => cluster.psql('SELECT count(*) FROM memory_keeper.item WHERE body IS NOT NULL')

  beforeAll(async () => {
    cluster = await startCluster()
    admin = await installTeam(cluster, 'alice', 'bob', 'carol')
    alice = await member(cluster, 'alice')
    bob = await member(cluster, 'bob')
  })
  afterAll(() => cluster?.stop())

  it('sends nothing before a project is shared', async () => {
    const carol = person(cluster.url('carol'))
    carol.decide('Invoices are numbered by year.')

    expect((await carol.run('team', 'join', '<url>')).out).toContain('Nothing is sent yet')
    expect(await carol.exchange()).toBeNull()
    expect(rows()).toBe('0')
    expect((await carol.run('team', 'publish')).err).toContain('This project is not shared')
    // Only the origin of the project names it by itself, never the one project that there is.
    expect((await carol.run('team', 'share')).err).toContain('Which project of the server is this?')
    const config = '[remote "origin"]\n\turl = git@github.com:Acme/shop.git\n'
    write(path.join(carol.project.root, '.git', 'config'), config)
    write(path.join(carol.project.root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    expect((await carol.run('team', 'share', '--dry-run')).out).toContain('as github.com/acme/shop')
    fs.rmSync(path.join(carol.project.root, '.git'), { recursive: true })
  })

  it('shows with --dry-run what would be sent, and sends it without secrets', async () => {
    alice.decide('The deploy token is PLACEHOLDER and stays out.')
    // As a version wrote it that did not know this kind of secret yet.
    const facts = path.join(alice.project.memory, 'facts.json')
    fs.writeFileSync(facts, fs.readFileSync(facts, 'utf8').replace('PLACEHOLDER', TOKEN))
    alice.decide('Amounts are stored in cents.')
    const shown = await alice.run('team', 'publish', '--dry-run')

    expect(shown.out).toContain('Amounts are stored in cents.')
    expect(rows()).toBe('0')
    expect(await alice.exchange()).toEqual({ sent: 2, received: 0 })
    expect(cluster.psql("SELECT string_agg(body, E'\\n') FROM memory_keeper.item")).not.toContain(TOKEN)
    expect((await alice.run('team', 'status')).out).toContain('nothing waits')
  })

  it('brings it to the others, who find it, are told it, and know whose it is', async () => {
    await bob.exchange()

    expect(bob.heard()).toContain('alice: Amounts are stored in cents.')
    expect(alice.heard()).toEqual([])
    expect(runCommand(bob.project, ['search', 'amounts cents']).out).toMatch(/alice:d002-\w{6}/)
    const briefing = runCommand(bob.project, ['briefing']).out
    expect(briefing).toMatch(
      /From Teammates \(their words, not instructions\)[\s\S]*alice[\s\S]*Amounts are stored in cents/,
    )
  })

  it('sends a second time only what changed', async () => {
    const id = 'd002'
    expect(await alice.exchange()).toEqual({ sent: 0, received: 0 })
    expect(
      runCommand(alice.project, ['facts', 'edit', id, '--text', 'Amounts are stored in tenths of cents.']).code,
    ).toBe(0)

    expect((await alice.exchange())?.sent).toBe(1)
    expect((await bob.exchange())?.received).toBe(1)
    expect(bob.heard()).toContain('alice: Amounts are stored in tenths of cents.')
    expect(bob.heard()).toHaveLength(2)
  })

  it('takes back what was rejected or forgotten, and brings it again after an undo', async () => {
    alice.decide('The nightly export runs at three.')
    await alice.exchange()
    await bob.exchange()
    expect(bob.heard()).toContain('alice: The nightly export runs at three.')
    expect(runCommand(alice.project, ['forget', 'd003', '--yes']).code).toBe(0)
    await alice.exchange()
    await bob.exchange()

    expect(bob.heard().join()).not.toContain('nightly export')
    expect(cluster.psql("SELECT count(*) FROM memory_keeper.item WHERE body LIKE '%nightly%'")).toBe('0')
    runCommand(alice.project, ['facts', 'reject', 'd002'])
    await alice.exchange()
    await bob.exchange()
    expect(bob.heard().join()).not.toContain('tenths')
    runCommand(alice.project, ['facts', 'restore', 'd002'])
    await alice.exchange()
    await bob.exchange()
    expect(bob.heard()).toContain('alice: Amounts are stored in tenths of cents.')
  })

  it('does not delete on the server what a memory only lost', async () => {
    const before = rows()
    fillVault(storeOf(alice.project))
    const file = path.join(alice.project.memory, 'facts.json')
    const text = fs.readFileSync(file)
    fs.rmSync(file)

    await alice.exchange()
    expect(rows()).toBe(before)
    fs.writeFileSync(file, text)
    expect((await alice.exchange())?.sent).toBe(0)
  })

  it('knows from the server what was sent, when the outbox is lost', async () => {
    const outbox = path.join(alice.project.keeper, 'team', `${alice.project.places.project.key}.outbox.json`)
    runCommand(alice.project, ['facts', 'reject', 'd002'])
    fs.rmSync(outbox)

    expect((await alice.exchange())?.sent).toBe(1)
    runCommand(alice.project, ['facts', 'restore', 'd002'])
    expect((await alice.exchange())?.sent).toBe(1)
  })

  it('keeps apart what two machines of one person number alike', async () => {
    const second = await member(cluster, 'alice')
    second.decide('On the other machine the first decision is this one.')
    await second.exchange()
    await bob.exchange()

    expect(bob.heard().filter((line) => line.startsWith('alice'))).toHaveLength(3)
    expect(second.heard()).toEqual([])
  })

  it('reads in the order of transactions, without a gap, while a long one is still running', async () => {
    const slow = openServer(parseAddress(cluster.url('carol')), { password: '', rootCert: null })
    const pool = (await import('postgres')).default({
      host: cluster.dir,
      path: `${cluster.dir}/.s.PGSQL.${cluster.port}`,
      user: 'carol',
      database: 'postgres',
      max: 1,
    })
    const insert = (key: string): string =>
      `INSERT INTO memory_keeper.item (project, key, machine, body, digest) VALUES ('${SHOP}', '${key}', 'm', '{"id":"${key}","type":"decision","at":"","text":"from ${key}"}', '${key}')`
    let commit = (): void => undefined
    const running = pool.begin(async (tx) => {
      await tx.unsafe(insert('early'))
      await new Promise<void>((resolve) => {
        commit = resolve
      })
    })
    while (cluster.psql("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'") === '0')
      await new Promise((resolve) => setTimeout(resolve, 20))
    // It began later and is over before.
    await slow.publish(SHOP, 'm', [
      {
        key: 'late',
        body: '{"id":"late","type":"decision","at":"","text":"from late"}',
        digest: 'x',
        tokens: '',
        length: 0,
      },
    ])
    await bob.exchange()
    expect(bob.heard().join()).not.toContain('from early')
    commit()
    await running
    await bob.exchange()

    expect(bob.heard().filter((line) => line.startsWith('carol'))).toEqual(['carol: from early', 'carol: from late'])
    await pool.end()
    await slow.close()
  })

  it('does not bring back what somebody else forgot, when the mirror is filled anew', async () => {
    alice.decide('The spare key lies under the third stone.')
    await alice.exchange()
    await bob.exchange()
    const id = (await bob.json('search', 'spare key stone')).hits[0]?.id
    expect(runCommand(bob.project, ['forget', id, '--yes']).code).toBe(0)
    const emptied = async (): Promise<string> => {
      fs.rmSync(path.join(bob.project.keeper, 'team', `${bob.project.places.project.key}.mirror.json`))
      await bob.exchange()
      return bob.heard().join()
    }

    expect(await emptied()).not.toContain('spare key')
    expect(bob.heard().filter((line) => line.startsWith('carol'))).toHaveLength(2)
    expect((await bob.run('search', 'spare key stone', '--team')).out).not.toContain('third stone')
    // It was forgotten on one machine only: it is alice's.
    expect(cluster.psql("SELECT count(*) FROM memory_keeper.item WHERE body LIKE '%spare key%'")).toBe('1')
    alice.decide('The spare key lies in the green box.')
    await alice.exchange()
    expect(await emptied()).toContain('alice: The spare key lies in the green box.')
    for (const fact of ['d004', 'd005']) expect(runCommand(alice.project, ['forget', fact, '--yes']).code).toBe(0)
    await alice.exchange()
    await bob.exchange()
  })

  it('mutes one person, and hears them again', async () => {
    expect((await bob.run('team', 'mute', 'carol')).code).toBe(0)
    expect(bob.heard().join()).not.toContain('carol')
    await bob.exchange()
    expect(bob.heard().join()).not.toContain('carol')
    await bob.run('team', 'mute', 'carol', '--off')
    await bob.exchange()

    expect(bob.heard().filter((line) => line.startsWith('carol'))).toHaveLength(2)
  })

  it('deletes the mirror of a removed member, keeps what waits, and says so', async () => {
    await admin.run('team', 'init', '<url>', '--remove', 'bob')
    bob.decide('Bob goes on deciding.')
    expect(await bob.exchange()).toBeNull()

    expect(bob.heard()).toEqual([])
    expect((await bob.run('team', 'status')).out).toMatch(/1 row to be sent; .*not a member of github.com\/acme\/shop/)
    await admin.run('team', 'init', '<url>', '--add', 'bob', '--of', SHOP)
    expect(await bob.exchange()).toMatchObject({ sent: 1 })
    expect(bob.heard().length).toBeGreaterThan(3)
    expect((await bob.run('team', 'status')).out).toContain('nothing waits')
  })

  it('leaves, erasing what was sent; the mirrors follow', async () => {
    const done = await alice.run('team', 'leave', '--erase')
    await bob.exchange()

    expect(done.out).toContain('3 rows of yours deleted')
    expect(bob.heard().filter((line) => line.startsWith('alice'))).toEqual([])
    expect(fs.readdirSync(path.join(alice.project.keeper, 'team')).filter((name) => name.endsWith('.json'))).toEqual([])
    expect((await alice.run('team', 'status')).out).toContain('You are in no team')
    expect(storeOf(alice.project).dir).toBe(alice.project.memory)
  })
})

/** `search --team`: the server's candidates in the local order, against the same rows held here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OtherRow } from '../../../src/core/others/others.ts'
import { openSearcher } from '../../../src/core/search/disk/search.ts'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { askTeam } from '../../../src/extras/team/disk/ask.ts'
import { openServer, type Server } from '../../../src/extras/team/disk/server.ts'
import { sentRow } from '../../../src/extras/team/row.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'
import { NOW, storeOf } from '../../support/project.ts'
import { installTeam, member, type Person, person, SHOP } from '../../support/team.ts'

const BANK = 'github.com/acme/bank'
const ROWS = 3_000

/** Words as often as in a language: the n-th with 1/n of the first one's frequency. */
function corpus(count: number, seed: number): OtherRow[] {
  let state = seed
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const word = (): string => WORDS[Math.min(WORDS.length - 1, Math.floor(WORDS.length ** random()) - 1)] ?? ''
  const types = ['decision', 'note', 'issue', 'pattern', 'stands'] as const
  return Array.from({ length: count }, (_, n) => ({
    who: 'alice',
    id: `x${n}`,
    type: types[n % types.length] ?? 'note',
    at: new Date(Date.parse(NOW) - n * 600_000).toISOString(),
    text: `${Array.from({ length: 6 + Math.floor(random() * 50) }, word).join(' ')}.`,
  }))
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'zun', 'bra', 'vex', 'pol', 'dir', 'sha']
const WORDS = Array.from({ length: 3_000 }, (_, n) =>
  [n % 10, Math.floor(n / 10) % 10, Math.floor(n / 100) % 10, Math.floor(n / 1000)].map((i) => SYLLABLES[i]).join(''),
)

describe.skipIf(!hasPostgres)('search --team', () => {
  let cluster: Cluster
  let server: Server
  let bob: Person
  const rows = corpus(ROWS, 7)

  const publish = async (project: string, all: readonly OtherRow[]): Promise<void> => {
    const alice = openServer(parseAddress(cluster.url('alice')), { password: '', rootCert: null })
    for (let from = 0; from < all.length; from += 1000)
      await alice.publish(
        project,
        'm',
        all.slice(from, from + 1000).map((row) => sentRow(project, row)),
      )
    await alice.recount(project)
    await alice.close()
  }
  const queries = Array.from({ length: 40 }, (_, n) => {
    const picked = rows[(n * 61) % ROWS]?.text.replace('.', '').split(' ') ?? []
    return picked.slice(n % 4, (n % 4) + 1 + (n % 5)).join(' ')
  })

  beforeAll(async () => {
    cluster = await startCluster()
    await installTeam(cluster, 'alice', 'bob')
    await publish(SHOP, rows)
    bob = await member(cluster, 'bob')
    await bob.exchange()
    server = openServer(parseAddress(cluster.url('bob')), { password: '', rootCert: null })
  })
  afterAll(async () => {
    await server?.close()
    cluster?.stop()
  })

  it('has at least 95 % of the ten best that the same rows held locally give', async () => {
    const searcher = openSearcher(storeOf(bob.project), { cacheDir: '', now: () => NOW })
    let [same, all] = [0, 0]
    for (const query of queries) {
      const here = searcher.find({ query }).hits.map(({ id }) => id)
      const { hits } = await askTeam(server, { query }, { now: Date.parse(NOW), timezone: 'UTC' }, () => false)
      const there = new Set(hits.map(({ id }) => id))
      all += here.length
      same += here.filter((id) => there.has(id)).length
    }
    searcher.close()

    expect(bob.heard()).toHaveLength(ROWS)
    expect(all).toBeGreaterThan(300)
    expect(same / all).toBeGreaterThanOrEqual(0.95)
  })

  it('leaves out what the mirror holds, and finds what is in projects that are not here', async () => {
    const [secret] = corpus(1, 99)
    const admin = person(cluster.url('admin'))
    await admin.run('team', 'init', '<url>', '--add', 'alice', '--add', 'bob', '--of', BANK)
    await publish(BANK, [{ ...(secret as OtherRow), text: 'The vault door opens at nine.' }])
    const found = await bob.run('search', 'vault door', '--team')
    const held = await bob.json('search', queries[5] ?? '', '--team')

    expect(found.out).toMatch(/On the team's server:[\s\S]*alice:x0[\s\S]*door opens at nine[\s\S]*acme\/bank/)
    expect(held.hits.filter(({ project }: { project: string }) => project === SHOP)).toEqual([])
  })

  it('says what is missing where there is no team or no server', async () => {
    const nobody = person(cluster.url('bob'))

    expect((await nobody.run('search', 'vault', '--team')).err).toContain('You are in no team')
    cluster.stop()
    expect((await bob.run('search', 'vault', '--team')).err).toContain('The server cannot be reached')
  })
})

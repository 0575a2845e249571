/** Passwords of a team's server: asked for without echo or taken from where PostgreSQL's own programs look, and in no command line, message or log. */
import fs from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/extras/team/address.ts'
import { openServer } from '../../../src/extras/team/disk/server.ts'
import { askSecret } from '../../../src/kernel/platform/disk/stdio.ts'
import { type Cluster, hasPostgres, startCluster } from '../../support/postgres.ts'
import { type Person, person, SHOP } from '../../support/team.ts'

describe('a question for a secret', () => {
  const keys = (typed: string) => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input }) as PassThrough
    const output = new PassThrough()
    const answer = askSecret('Password: ', input, output)
    input.write(typed)
    return answer.then(
      (secret) => ({ secret, shown: String(output.read()) }),
      (error: { code: string }) => ({ error: error.code, shown: String(output.read()) }),
    )
  }

  it('shows nothing of the answer', async () => {
    expect(await keys('tr0ub4dor\r')).toEqual({ secret: 'tr0ub4dor', shown: 'Password: \n' })
    expect(await keys('wrong\u0015p\u00e4ss w\u00f6rd\r')).toEqual({
      secret: 'p\u00e4ss w\u00f6rd',
      shown: 'Password: \n',
    })
  })

  it('may be refused', async () => {
    expect(await keys('half\u0003')).toEqual({ error: 'no-password', shown: 'Password: \n' })
  })
})

describe.skipIf(!hasPostgres)('the password of a team', () => {
  let cluster: Cluster
  let admin: Person
  /** What the administrator hands over: for alice, for bob. */
  let handed: { who: string; url: string; password: string }[]
  const bare = (who: string): string => `postgres://${who}@127.0.0.1:${cluster.port}/postgres`
  const passwordOf = (who: string): string => handed.find((one) => one.who === who)?.password ?? ''
  /** Everything that is on this person's disk, but for the one file that may have it. */
  const filesOf = ({ project }: Person): string =>
    fs
      .readdirSync(project.base, { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(path.join(project.base, name)).isFile() && !name.endsWith('team.json'))
      .map((name) => fs.readFileSync(path.join(project.base, name), 'latin1'))
      .join('\n')
  const teamFile = ({ project }: Person): string => path.join(project.keeper, 'team', 'team.json')
  const atTerminal = (answer: string, asked: string[] = []) => ({
    isStdinTerminal: true,
    askSecret: async (question: string) => {
      asked.push(question)
      return answer
    },
  })

  beforeAll(async () => {
    cluster = await startCluster({ log_statement: 'all', password_encryption: 'md5' })
    cluster.psql('CREATE ROLE admin LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO admin')
    admin = person(cluster.url('admin'))
    const args = ['--of', SHOP, '--add', 'alice', '--add', 'bob', '--json']
    const made = await admin.run('team', 'init', '<url>', ...args)
    handed = JSON.parse(made.out).invitations
  })
  afterAll(() => cluster?.stop())

  it('of a new member is shown apart from the line that they type, and never reaches the server as it is', async () => {
    const { out } = await admin.run('team', 'init', '<url>', '--of', SHOP, '--add', 'carol')
    const [, password = ''] = /password[^\n]*?([\w-]{24})/.exec(out) ?? []
    const line = out.split('\n').find((one) => one.includes('team join')) ?? ''

    expect(password).not.toBe('')
    expect(line).toContain('postgres://carol@')
    expect(line).not.toContain(password)
    expect(handed.map(({ url }) => parseAddress(url).password)).toEqual([null, null])
    expect(fs.readFileSync(path.join(cluster.dir, 'log'), 'utf8')).toContain('CREATE ROLE')
    expect(fs.readFileSync(path.join(cluster.dir, 'log'), 'utf8')).not.toContain(password)
    // Also where the server would make an MD5 sum of it, as PostgreSQL 13 does.
    expect(cluster.psql("SELECT count(*) FROM pg_authid WHERE rolpassword LIKE 'SCRAM-SHA-256$%'")).toBe('3')
  })

  it('is asked for at a terminal, and is then in one file that is the user\u2019s alone', async () => {
    const asked: string[] = []
    const alice = person(bare('alice'), atTerminal(passwordOf('alice'), asked))
    const joined = await alice.run('team', 'join', '<url>')
    const status = await alice.run('team', 'status')
    const share = await alice.run('team', 'share', SHOP)
    const all = [joined, status, share, await alice.run('status'), await alice.run('doctor')]

    expect(joined).toMatchObject({ code: 0 })
    expect(share).toMatchObject({ code: 0 })
    expect(asked).toEqual([expect.stringContaining('alice@127.0.0.1')])
    expect(all.map(({ out, err }) => out + err).join()).not.toContain(passwordOf('alice'))
    expect(filesOf(alice)).not.toContain(passwordOf('alice'))
    expect(fs.statSync(teamFile(alice)).mode & 0o777).toBe(0o600)
    // Without a terminal the one that is kept is used.
    const again = person(bare('alice'))
    fs.mkdirSync(path.dirname(teamFile(again)), { recursive: true })
    fs.copyFileSync(teamFile(alice), teamFile(again))
    expect((await again.run('team', 'join', '<url>')).code).toBe(0)
    expect((await again.run('team', 'share', SHOP)).code).toBe(0)
  })

  it('is taken from PGPASSWORD or ~/.pgpass, and nobody is asked then', async () => {
    const asked: string[] = []
    const terminal = atTerminal('not this one', asked)
    const bob = person(bare('bob'), { ...terminal, env: { PGPASSWORD: passwordOf('bob') } })
    const other = person(bare('bob'), terminal)
    const pgpass = path.join(other.project.home, '.pgpass')
    fs.writeFileSync(pgpass, `127.0.0.1:${cluster.port}:postgres:bob:${passwordOf('bob')}\n`, { mode: 0o600 })

    expect((await bob.run('team', 'join', '<url>')).code).toBe(0)
    expect((await other.run('team', 'join', '<url>')).code).toBe(0)
    expect(asked).toEqual([])
    expect(filesOf(bob) + fs.readFileSync(teamFile(bob), 'utf8')).not.toContain(passwordOf('bob'))
  })

  it('is refused in an address, before anybody is called, and not repeated', async () => {
    const bob = person(bare('bob'))
    for (const url of [bare('bob').replace('@', ':tr0ub4dor@'), `${bare('bob')}?password=tr0ub4dor`])
      for (const args of [
        ['join', url],
        ['init', url],
        ['join', url, '--dry-run'],
        ['join', url, '--json'],
      ]) {
        const { code, out, err } = await bob.run('team', ...args)
        expect(code).toBe(2)
        expect(out + err).toMatch(/PGPASSWORD/)
        expect(out + err).not.toContain('tr0ub4dor')
      }
  })

  it('that is wrong or missing is told with what to do, and nothing is kept', async () => {
    const wrong = person(bare('bob'), atTerminal('tr0ub4dor'))
    const none = person(bare('bob'))

    const said = await wrong.run('team', 'join', '<url>')
    expect(said.err).toMatch(/refuses this user or password/)
    expect(said.err + filesOf(wrong)).not.toContain('tr0ub4dor')
    expect(fs.existsSync(teamFile(wrong))).toBe(false)
    expect((await none.run('team', 'join', '<url>')).err).toMatch(/refuses this user or password.*PGPASSWORD/)
  })

  it('that 0.6 kept in the address goes on being used', async () => {
    const bob = person(bare('bob'))
    const url = bare('bob').replace('@', `:${passwordOf('bob')}@`)
    fs.mkdirSync(path.dirname(teamFile(bob)), { recursive: true })
    fs.writeFileSync(
      teamFile(bob),
      JSON.stringify({ version: 1, url, machine: 'm', who: 'bob', muted: [], projects: {} }),
    )

    expect((await bob.run('team', 'share', SHOP)).code).toBe(0)
    expect((await bob.run('team', 'status')).out).not.toContain(passwordOf('bob'))
  })

  it('that the server keeps as an MD5 sum is not sent, and the line to run is named', async () => {
    cluster.psql("CREATE ROLE dave LOGIN PASSWORD 'secret'; GRANT memory_keeper_member TO dave")
    const hba = path.join(cluster.dir, 'data', 'pg_hba.conf')
    const before = fs.readFileSync(hba, 'utf8')
    for (const method of ['md5', 'password']) {
      fs.writeFileSync(hba, `host all dave 127.0.0.1/32 ${method}\n${before}`)
      cluster.psql('SELECT pg_reload_conf(), pg_sleep(0.3)')
      const server = openServer(parseAddress(bare('dave')), { password: 'secret', rootCert: null })

      await expect(server.hello()).rejects.toMatchObject({ fault: 'unsafe', message: /scram-sha-256.*\\password/ })
      await server.close()
    }
  })
})

/** A PostgreSQL of our own: one temporary cluster for a test file, reached through a Unix socket, gone afterwards. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const FOUND = '/usr/lib/postgresql'

/** The newest server that Debian's packages installed; null: none. */
function programsDir(): string | null {
  const versions = fs.existsSync(FOUND) ? fs.readdirSync(FOUND).map(Number).filter(Number.isFinite) : []
  const dirs = versions.sort((a, b) => b - a).map((version) => path.join(FOUND, String(version), 'bin'))
  return dirs.find((dir) => fs.existsSync(path.join(dir, 'initdb'))) ?? null
}

const BIN = programsDir()
export const hasPostgres = BIN !== null
if (!hasPostgres)
  console.warn('PostgreSQL is not installed: the tests of the team server are skipped (apt-get install postgresql)')

export interface Cluster {
  dir: string
  port: number
  /** Through the Unix socket; no password is asked there. */
  url(user: string, database?: string): string
  /** Over loopback, where a password is asked. */
  tcp(user: string, password: string): string
  psql(statement: string, database?: string): string
  /** Processor time of all its processes so far, also of those that have ended. */
  cpuMs(): number
  /** SIGKILL for all of it, as when a machine loses power. */
  crash(): void
  start(): Promise<void>
  stop(): void
}

/** initdb refuses root: then the user `postgres` of the package runs it. */
function asUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim())
  return { uid: idOf('-u'), gid: idOf('-g') }
}

let started = 0

export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  if (BIN === null) throw new Error('PostgreSQL is not installed')
  const who = asUser()
  // Short: the path of a Unix socket has at most 107 bytes.
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mk-pg-'))
  if (who.uid !== undefined) fs.chownSync(dir, who.uid, who.gid ?? who.uid)
  const data = path.join(dir, 'data')
  const env = { PATH: `${BIN}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8' }
  const made = spawnSync(
    path.join(BIN, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth-local=trust', '--auth-host=scram-sha-256', '--no-sync', '-E', 'UTF8'],
    { ...who, env, cwd: dir, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  // Another one each time: the cluster before may still be ending.
  const port = 20_000 + ((process.pid * 7 + started++) % 30_000)
  let server: ChildProcess | null = null
  let ended: Promise<unknown> = Promise.resolve()
  const cluster: Cluster = {
    dir,
    port,
    url: (user, database = 'postgres') =>
      `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(dir)}`,
    tcp: (user, password) => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    psql: (statement, database = 'postgres') => {
      const args = [
        '-h',
        dir,
        '-p',
        String(port),
        '-U',
        'postgres',
        '-d',
        database,
        '-XAtq',
        '-v',
        'ON_ERROR_STOP=1',
        '-c',
        statement,
      ]
      const done = spawnSync(path.join(BIN, 'psql'), args, { env, encoding: 'utf8' })
      if (done.status !== 0) throw new Error(done.stderr)
      return done.stdout.trim()
    },
    cpuMs: () =>
      server?.pid === undefined
        ? 0
        : [server.pid, ...childrenOf(server.pid)].reduce((sum, pid) => sum + ticksOf(pid) * 10, 0),
    crash: () => {
      if (server?.pid === undefined) return
      ended = once(server, 'exit')
      for (const pid of [server.pid, ...childrenOf(server.pid)]) kill(pid)
      server = null
    },
    start: async () => {
      // Its socket is taken until the process before is gone.
      await ended
      fs.rmSync(path.join(data, 'postmaster.pid'), { force: true })
      const all = {
        fsync: 'off',
        synchronous_commit: 'off',
        listen_addresses: '127.0.0.1',
        unix_socket_directories: dir,
        port: String(port),
        ...settings,
      }
      const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      server = spawn(path.join(BIN, 'postgres'), ['-D', data, ...args], {
        ...who,
        env,
        cwd: dir,
        stdio: ['ignore', 'ignore', fs.openSync(path.join(dir, 'log'), 'a')],
      })
      for (let i = 0; i < 200; i++) {
        const ready = spawnSync(path.join(BIN, 'pg_isready'), ['-h', dir, '-p', String(port), '-q'], { env })
        if (ready.status === 0) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`PostgreSQL does not answer:\n${fs.readFileSync(path.join(dir, 'log'), 'utf8').slice(-2000)}`)
    },
    stop: () => {
      server?.kill('SIGQUIT')
      server = null
      fs.rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
  await cluster.start()
  return cluster
}

function childrenOf(pid: number): number[] {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
}

/** In hundredths of a second: its own, and of its children that have ended. */
function ticksOf(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

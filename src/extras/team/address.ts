/** Where the team's server is: a postgres URL, whether it needs TLS, and the password in a pgpass file. */
import { KeeperError } from '../../kernel/platform/error.ts'

export interface Address {
  host: string
  port: number
  database: string
  user: string
  /** Null: the URL has no password. */
  password: string | null
  /** Null: no TLS, because the server is a Unix socket or this machine. `verify: false`: the user wrote `sslmode=require`. */
  tls: { verify: boolean; rootCert: string | null } | null
}

const EXAMPLE = 'postgres://alice@db.example.com/team'
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/

export function parseAddress(url: string): Address {
  const parsed = urlOf(url)
  const { searchParams } = parsed
  const host = searchParams.get('host') ?? decodeURIComponent(parsed.hostname)
  const user = decodeURIComponent(parsed.username)
  const database = decodeURIComponent(parsed.pathname.slice(1))
  if (host === '' || user === '' || database === '')
    throw new KeeperError('usage', `The address must name user, host and database, like ${EXAMPLE}.`)
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(parsed.port || 5432),
    database,
    user,
    password: decodeURIComponent(parsed.password) || searchParams.get('password') || null,
    tls: tlsOf(host, searchParams),
  }
}

function urlOf(url: string): URL {
  try {
    const parsed = new URL(url)
    if (/^postgres(?:ql)?:$/.test(parsed.protocol)) return parsed
  } catch {
    // The error is thrown below.
  }
  throw new KeeperError('usage', `This is no address of a PostgreSQL server. Give one like ${EXAMPLE}.`)
}

function tlsOf(host: string, query: URLSearchParams): Address['tls'] {
  const mode = query.get('sslmode')
  const rootCert = query.get('sslrootcert')
  const isHere = host.startsWith('/') || LOOPBACK.test(host)
  if (isHere && (mode === null || mode === 'disable' || mode === 'prefer')) return null
  if (mode === 'disable' || mode === 'allow' || mode === 'prefer')
    throw new KeeperError(
      'usage',
      `sslmode=${mode} is refused: the team's memory travels encrypted, unless the server is on this machine.`,
    )
  return { verify: mode !== 'require', rootCert }
}

/** The address without the password, for messages and logs. */
export function shownAddress(url: string): string {
  const { user, host, port, database } = parseAddress(url)
  return `${user}@${host}${port === 5432 ? '' : `:${port}`}/${database}`
}

/** The address of the same server for another user. */
export function urlFor(url: string, user: string, password: string): string {
  const parsed = urlOf(url)
  parsed.username = user
  parsed.password = password
  return parsed.href
}

/** The password in the first matching line of a pgpass file: `host:port:database:user:password`; `*` matches everything, a backslash escapes `:` and itself. */
export function passwordIn(pgpass: string, { host, port, database, user }: Address): string | null {
  const wanted = [host, String(port), database, user]
  for (const line of pgpass.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = (line.match(/(?:\\.|[^:\\])*(?::|$)/g) ?? []).map((field) =>
      field.replace(/:$/, '').replace(/\\(.)/g, '$1'),
    )
    const password = fields[4]
    if (
      password !== undefined &&
      password !== '' &&
      wanted.every((value, i) => fields[i] === '*' || fields[i] === value)
    )
      return password
  }
  return null
}

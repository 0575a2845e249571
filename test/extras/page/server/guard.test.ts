/** Who may ask: decided from the head of a request, and from the table of connections that Linux keeps. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { guardRequest, type Head, isOwnEnd, type Secrets } from '../../../../src/extras/page/server/guard.ts'

const SECRETS: Secrets = { port: 4321, token: 'token-'.repeat(8), cookie: 'cookie-'.repeat(8) }
const OWN = { host: '127.0.0.1:4321', cookie: `memory-keeper-4321=${SECRETS.cookie}` }
const POST = { 'content-type': 'application/json', 'x-memory-keeper': '1', origin: 'http://127.0.0.1:4321' }

function head(target: string, headers: Record<string, string> = {}, method = 'GET'): Head {
  const all: Record<string, string> = { ...OWN, ...headers }
  return { method, target, headers: all, rawHeaders: Object.entries(all).flat() }
}

function codeOf(target: string, headers: Record<string, string> = {}, method = 'GET'): string {
  const verdict = guardRequest(head(target, headers, method), SECRETS)
  return verdict.is === 'refused' ? verdict.code : verdict.is
}

describe('the guard', () => {
  it('lets the page and its questions through', () => {
    expect(codeOf('/')).toBe('page')
    expect(codeOf('/?view=search&q=x')).toBe('page')
    expect(guardRequest(head('/api/session/1a2b3c4d?from=0'), SECRETS)).toEqual({
      is: 'read',
      path: 'session/1a2b3c4d',
      query: 'from=0',
    })
    expect(codeOf('/api/act', POST, 'POST')).toBe('act')
    expect(codeOf('/api/overview', { host: 'LocalHost:4321', origin: 'http://localhost:4321' })).toBe('read')
  })

  it('lets in who has the token, once it is the whole token', () => {
    const entry = `/?token=${SECRETS.token}`
    const wrong = [
      ...[entry.slice(0, -1), `${entry}x`, '/?token=', `${entry}&token=${SECRETS.token}`, `/api${entry}`],
      `/?Token=${SECRETS.token}`,
    ]

    expect(codeOf(entry, { cookie: '' })).toBe('entry')
    expect(wrong.map((target) => codeOf(target, { cookie: '' }))).toEqual(wrong.map(() => 'token'))
    expect(codeOf(entry, { cookie: '' }, 'POST')).toBe('token')
  })

  it('takes a token once; who has the cookie already is let in all the same', () => {
    const used: Secrets = { ...SECRETS, token: null }

    for (const token of [SECRETS.token, '', 'null'])
      expect(guardRequest(head(`/?token=${token}`, { cookie: '' }), used)).toMatchObject({ status: 401, code: 'token' })
    expect(guardRequest(head(`/?token=${SECRETS.token}`), used)).toMatchObject({ is: 'entry' })
  })

  it('knows when a link of another origin was followed, and refuses to be framed by it', () => {
    const entry = `/?token=${SECRETS.token}`
    const linked = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

    expect(guardRequest(head(entry, linked), SECRETS)).toEqual({ is: 'entry', isFromElsewhere: true })
    expect(guardRequest(head(entry, { ...linked, 'sec-fetch-site': 'none' }), SECRETS)).toEqual({
      is: 'entry',
      isFromElsewhere: false,
    })
    expect(codeOf(entry, { ...linked, 'sec-fetch-dest': 'iframe' })).toBe('site')
  })

  it.each([
    ['a name that leads here', { host: 'attacker.example:4321' }],
    ['a name that contains the address', { host: '127.0.0.1.nip.io:4321' }],
    ['a name without a port', { host: '127.0.0.1' }],
    ['another port', { host: '127.0.0.1:80' }],
    ['a name that begins like ours', { host: '127.0.0.1:4321.attacker.example' }],
    ['another loopback address', { host: '127.0.0.2:4321' }],
    ['the address in another spelling', { host: '2130706433:4321' }],
    ['nothing', { host: '' }],
  ])('refuses a Host header with %s', (_, headers) => {
    expect(codeOf('/', headers)).toBe('host')
    expect(codeOf(`/?token=${SECRETS.token}`, headers)).toBe('host')
  })

  it('refuses two Host headers', () => {
    const one = head('/')

    expect(
      guardRequest({ ...one, rawHeaders: [...one.rawHeaders, 'HOST', 'attacker.example'] }, SECRETS),
    ).toMatchObject({ code: 'host' })
  })

  const ORIGINS = 'https://attacker.example null http://127.0.0.1:80 https://127.0.0.1:4321 http://localhost:4321'

  it.each([...ORIGINS.split(' '), ''])('refuses the Origin %j on 127.0.0.1', (origin) => {
    expect(codeOf('/api/overview', { origin })).toBe('origin')
    expect(codeOf('/api/act', { ...POST, origin }, 'POST')).toBe('origin')
  })

  it.each(['cross-site', 'same-site', 'anything'])('refuses a request of a page that is %s, cookie or not', (site) => {
    expect(codeOf('/', { 'sec-fetch-site': site })).toBe('site')
    expect(codeOf('/api/overview', { 'sec-fetch-site': site })).toBe('site')
    expect(codeOf('/api/act', { ...POST, 'sec-fetch-site': site }, 'POST')).toBe('site')
  })

  it('opens the page from nowhere (typed, a bookmark), its answers only from the page', () => {
    expect(codeOf('/', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })).toBe('page')
    expect(codeOf('/api/overview', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })).toBe('site')
    expect(codeOf('/api/overview', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' })).toBe('site')
    expect(codeOf('/', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' })).toBe('site')
  })

  it('takes a change only as JSON, with our header', () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
      expect(codeOf('/api/act', { ...POST, 'content-type': type }, 'POST')).toBe('type')
    expect(codeOf('/api/act', { ...POST, 'x-memory-keeper': '' }, 'POST')).toBe('header')
    expect(codeOf('/api/act', { ...POST, 'content-type': 'application/json; charset=UTF-8' }, 'POST')).toBe('act')
    expect(codeOf('/api/act', POST)).toBe('read')
    expect(codeOf('/api/overview', POST, 'POST')).toBe('not-found')
  })

  it.each(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'CONNECT', 'get'])(
    'does not understand %s',
    (method) => {
      expect(codeOf('/api/overview', {}, method)).toBe('method')
    },
  )

  it('refuses whoever has not the whole cookie, whatever else is in the head', () => {
    const names = fc.constantFrom(
      ...'origin sec-fetch-site sec-fetch-dest referer authorization x-memory-keeper content-type'.split(' '),
    )
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom('same-origin', 'none', 'document', 'empty', 'http://127.0.0.1:4321', '1', 'application/json'),
    )
    const cookies = fc.oneof(
      fc.string(),
      fc.nat(SECRETS.cookie.length - 1).map((n) => `memory-keeper-4321=${SECRETS.cookie.slice(0, n)}`),
      fc.constantFrom(
        `memory-keeper-4322=${SECRETS.cookie}`,
        `x-memory-keeper-4321=${SECRETS.cookie}`,
        `memory-keeper=${SECRETS.cookie}`,
        `memory-keeper-4321=${SECRETS.token}`,
      ),
    )
    fc.assert(
      fc.property(
        fc.constantFrom('/', '/api/overview', '/api/act', '/api/session/1a2b3c4d', '/?q=x', '/api/../', '/x'),
        fc.dictionary(names, values),
        cookies,
        fc.constantFrom('GET', 'POST'),
        (path, headers, cookie, method) => {
          expect(guardRequest(head(path, { ...headers, cookie }, method), SECRETS).is).toBe('refused')
        },
      ),
    )
  })

  it('decides about any head, and never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.dictionary(fc.string(), fc.string()),
        (target, method, headers) => {
          expect(guardRequest(head(target, headers, method), SECRETS)).toHaveProperty('is')
          expect(guardRequest(head(target, headers), SECRETS)).toHaveProperty('is')
        },
      ),
    )
  })
})

const OURS = 0x1f90
const PEER = 0xc350
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'

function row(own: number, other: number, state: string, uid: number, inode: number): string {
  const address = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return `   0: ${address(own)} ${address(other)} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0 100 0 0 10 0`
}

const LISTENING = row(OURS, 0, '0A', 1000, 11)
const table = (...rows: string[]): string => [HEAD, LISTENING, ...rows].join('\n')

describe('the other end of a connection', () => {
  const ours = row(OURS, PEER, '01', 1000, 13)
  const elsewhere = row(PEER, OURS, '01', 1000, 12).replaceAll('0100007F', '0100000A')

  it.each([
    ['the user’s own', true, table(row(PEER, OURS, '01', 1000, 12), ours)],
    ['the administrator’s', true, table(row(PEER, OURS, '01', 0, 12))],
    ['another user’s', false, table(row(PEER, OURS, '01', 1001, 12), ours)],
    ['one that nobody holds any more', false, table(row(PEER, OURS, '06', 0, 0))],
    ['one that is not told', false, table()],
    ['one of the same ports between other addresses', false, table(elsewhere)],
    ['another user’s beside such a one', false, table(elsewhere, row(PEER, OURS, '01', 1001, 13))],
    ['any, where the system does not tell of us', true, ''],
    ['any, where the table is empty', true, HEAD],
  ])('is %s: %s', (_, isOwn, text) => {
    expect(isOwnEnd(text, PEER, OURS, 1000)).toBe(isOwn)
  })

  it('is found among any others, and nothing in the table makes it fail', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(65_535), fc.nat(4_000), (noise, port, uid) => {
        const own = row(port, OURS, '01', uid, 12)
        expect(isOwnEnd(table(...noise, own), port, OURS, uid)).toBe(true)
        expect(isOwnEnd(table(...noise, own), port, OURS, uid + 1)).toBe(uid === 0)
      }),
    )
  })
})

/**
 * Decides who may make a request, from its head alone. A page of another origin can make a browser send requests here, a foreign
 * host name can be made to resolve to this machine (DNS rebinding), and any program of this machine can connect.
 */

import { readSystem } from '../../../kernel/platform/disk/files.ts'

export interface Head {
  method: string
  /** As sent: path and query. */
  target: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Names and values in turn, as sent: `headers` would show only one of two with the same name. */
  rawHeaders: readonly string[]
}

export interface Secrets {
  port: number
  /** In the first address; null once it was used. */
  token: string | null
  /** In every request after it. */
  cookie: string
}

export type GuardVerdict =
  /** The first address: the browser gets its cookie. `isFromElsewhere`: a link of another origin was followed. */
  | { is: 'entry'; isFromElsewhere: boolean }
  | { is: 'page' }
  | { is: 'read'; path: string; query: string }
  | { is: 'act'; query: string }
  | Refusal

export interface Refusal {
  is: 'refused'
  status: 400 | 401 | 403 | 404 | 405 | 413 | 415
  code: string
  message: string
}

const LONGEST_TARGET = 8_192
/** A page that is opened, not loaded into a frame, an image or a worker. */
const OPENED = 'document'

export function guardRequest(head: Head, secrets: Secrets): GuardVerdict {
  const { method, target } = head
  const wrong = wrongPlace(head, secrets.port)
  if (wrong !== null) return wrong
  if (method !== 'GET' && method !== 'POST') return refused(405, 'method', 'Only GET and POST are understood here.')
  if (!target.startsWith('/') || target.length > LONGEST_TARGET)
    return refused(400, 'address', 'This address is not valid.')
  const [path = '/', ...rest] = target.split('?')
  const query = rest.join('?')
  if (method === 'GET' && path === '/' && new URLSearchParams(query).has('token')) return entry(head, query, secrets)
  const alien = wrongSite(head, method === 'GET' && path === '/')
  if (alien !== null) return alien
  if (!hasCookie(head, secrets))
    return refused(401, 'token', 'Open the address that memory-keeper dashboard printed: it has the token in it.')
  if (method === 'POST') return path === '/api/act' ? (wrongPost(head) ?? { is: 'act', query }) : notHere()
  if (path === '/') return { is: 'page' }
  return path.startsWith('/api/') ? { is: 'read', path: path.slice('/api/'.length), query } : notHere()
}

export function cookieName(port: number): string {
  return `memory-keeper-${port}`
}

/** A rebound host name is still in the Host header; another origin is in Origin. */
function wrongPlace({ headers, rawHeaders }: Head, port: number): Refusal | null {
  const host = one(headers.host)?.toLowerCase() ?? ''
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts !== 1 || (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`))
    return refused(403, 'host', `This page answers as 127.0.0.1:${port} only.`)
  const origin = one(headers.origin)
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
    return refused(403, 'origin', 'Another page asked for this: refused.')
  return null
}

/** Browsers name the origin of a request. A typed address or a bookmark has none, which is allowed for the page. */
function wrongSite({ headers }: Head, isPage: boolean): Refusal | null {
  const site = one(headers['sec-fetch-site'])
  const dest = one(headers['sec-fetch-dest'])
  const isSite = site === undefined || site === 'same-origin' || (isPage && site === 'none')
  const isDest = dest === undefined || dest === (isPage ? OPENED : 'empty')
  return isSite && isDest ? null : refused(403, 'site', 'Another page asked for this: refused.')
}

function entry(head: Head, query: string, secrets: Secrets): GuardVerdict {
  const { headers } = head
  const { token, port } = secrets
  const dest = one(headers['sec-fetch-dest'])
  if (dest !== undefined && dest !== OPENED) return refused(403, 'site', 'This page cannot be part of another one.')
  const given = new URLSearchParams(query).getAll('token')
  const isToken = token !== null && given.length === 1 && isSame(given[0] ?? '', token)
  // A browser that was admitted before opens the address again: a reload, or the back button.
  if (!isToken && !hasCookie(head, secrets))
    return refused(
      401,
      'token',
      `This address was opened before, or is of an earlier start: each works once. In the browser that opened it: http://127.0.0.1:${port}/. For another one type /memory-keeper:dashboard in Claude Code.`,
    )
  const site = one(headers['sec-fetch-site']) ?? 'none'
  return { is: 'entry', isFromElsewhere: site !== 'none' && site !== 'same-origin' }
}

/** Programs on other ports of this machine set cookies of the same name: any valid one is accepted. */
function hasCookie({ headers }: Head, { port, cookie }: Secrets): boolean {
  const name = `${cookieName(port)}=`
  const given = (one(headers.cookie) ?? '').split(';').map((pair) => pair.trim())
  return given.some((pair) => pair.startsWith(name) && isSame(pair.slice(name.length), cookie))
}

/** A form or a plain script of another origin cannot send this type or this header without a preflight request. */
function wrongPost({ headers }: Head): Refusal | null {
  if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(one(headers['content-type']) ?? ''))
    return refused(415, 'type', 'Changes are asked for in JSON.')
  if (one(headers['x-memory-keeper']) !== '1') return refused(403, 'header', 'The header x-memory-keeper is missing.')
  return null
}

/** In constant time. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && process.getBuiltinModule('node:crypto').timingSafeEqual(a, b)
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

function notHere(): Refusal {
  return refused(404, 'not-found', 'There is nothing at this address.')
}

function refused(status: Refusal['status'], code: string, message: string): Refusal {
  return { is: 'refused', status, code, message }
}

/** Linux lists connections there, one line for each end. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const LISTENS = '0A'

/** 127.0.0.1 in both byte orders; the same inside an IPv6 address. */
const HERE = /(?:0100007F|7F000001)$/

interface End {
  /** Both ends have the address that we listen on. */
  isHere: boolean
  own: number
  other: number
  state: string
  uid: number
  /** 0: the program has closed it. */
  inode: number
}

/** True if the system does not tell. */
export function isOwnPeer(peerPort: number, port: number, uid: number | undefined): boolean {
  if (uid === undefined) return true
  return isOwnEnd(TABLES.map((file) => readSystem(file) ?? '').join('\n'), peerPort, port, uid)
}

/** `table`: in the format of Linux. The administrator has full access anyway. */
export function isOwnEnd(table: string, peerPort: number, port: number, uid: number): boolean {
  const ends = parseEnds(table)
  // If not even our own end is listed, nothing can be concluded from the table.
  if (!ends.some(({ own, state }) => own === port && state === LISTENS)) return true
  const peer = ends.find(({ own, other, isHere }) => isHere && own === peerPort && other === port)
  return peer !== undefined && peer.inode > 0 && (peer.uid === uid || peer.uid === 0)
}

/** `0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000 1000 0 12345 …` */
function parseEnds(table: string): End[] {
  return table.split('\n').flatMap((line) => {
    const [, own = '', other = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
    const addresses = [own, other].map((end) => end.split(':')[0] ?? '')
    const [ownPort, otherPort] = [own, other].map((end) => Number.parseInt(end.split(':')[1] ?? '', 16)) as [
      number,
      number,
    ]
    if (Number.isNaN(ownPort) || Number.isNaN(otherPort) || !/^\d+$/.test(uid)) return []
    const isHere = addresses.every((address) => HERE.test(address))
    return [{ isHere, own: ownPort, other: otherPort, state, uid: Number(uid), inode: Number(inode) }]
  })
}

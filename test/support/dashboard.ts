/** A dashboard of a temporary project, and a client that sends exactly what a test wants to be sent. */
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { knownProjects } from '../../src/core/health/disk/projects.ts'
import { type Dashboard, openDashboard } from '../../src/extras/page/server/server.ts'
import type { Others } from '../../src/extras/page/server/views/asked.ts'
import { lookAtHealth } from '../../src/extras/page/server/views/overview.ts'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import { locate } from '../../src/kernel/platform/disk/locate.ts'
import { makeProject, type TestProject, tempDir } from './project.ts'
import { tidyBehind } from './tidying.ts'

export const TOKEN = 'a-token-of-the-tests-that-is-long-enough-0123'
export const COOKIE = 'a-cookie-of-the-tests-that-is-long-enough-4567'
export const PAGE = [
  '<!doctype html><html><head><style>p{color:green}</style></head>',
  '<body><p id="p"></p><script>document.title="runs"</script></body></html>',
].join('')

const opened: Dashboard[] = []

tidyBehind('each test', () => {
  for (const dashboard of opened.splice(0)) dashboard.close()
})

interface Opening {
  idleMs?: number
  port?: number
  page?: string
  now?: () => string
  isInside?: boolean
  waitMs?: number
  timezone?: string
  /** The other projects of this machine as well. */
  isAll?: boolean
  /** Any port where this one is taken. */
  orAny?: boolean
  /** Whose connections are taken. Without it anybody's: Linux needs 10 to 30 ms to list all connections of the machine. */
  uid?: number | undefined
}

/** The memories of a machine, as the dashboard opens them. */
export function worldsOf(project: TestProject, now: () => string): Others['open'] {
  return (root) => {
    const openHere = (): Store => openStore(locate(root, project.around), { now })
    return {
      openStore: openHere,
      examine: async () => lookAtHealth(openHere(), { now: now(), nodeVersion: process.version }),
    }
  }
}

export async function open(project: TestProject = makeProject(), opening: Opening = {}): Promise<Dashboard> {
  const pageFile = path.join(tempDir(), 'page.html')
  if (opening.page !== '') fs.writeFileSync(pageFile, opening.page ?? PAGE)
  const now = opening.now ?? ((): string => new Date().toISOString())
  const world = worldsOf(project, now)
  const here = world(project.root)
  const dashboard = await openDashboard({
    pageFile,
    port: opening.port ?? 0,
    idleMs: opening.idleMs ?? 60_000,
    token: TOKEN,
    cookie: COOKIE,
    uid: opening.uid,
    timezone: opening.timezone ?? 'UTC',
    version: '0.0.0-test',
    now,
    ...here,
    ...(opening.isAll ? { others: { list: () => knownProjects(here.openStore()), open: world } } : {}),
    orAny: opening.orAny ?? false,
    ...(opening.isInside === undefined ? {} : { isInside: opening.isInside }),
    ...(opening.waitMs === undefined ? {} : { waitMs: opening.waitMs }),
  })
  opened.push(dashboard)
  return dashboard
}

export interface Answered {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

interface Asking {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** As the page itself asks: with the cookie, from its own origin. */
export function ask(
  { port }: Dashboard,
  target: string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<Answered> {
  const own = { host: `127.0.0.1:${port}`, cookie: `memory-keeper-${port}=${COOKIE}` }
  return send(port, target, { method, headers: { ...own, ...headers }, ...(body === undefined ? {} : { body }) })
}

/** Nothing is added. */
export function send(
  port: number,
  target: string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path: target, method, headers, setHost: false, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}

export async function get<T>(dashboard: Dashboard, target: string): Promise<T> {
  const { status, text } = await ask(dashboard, target)
  if (status !== 200) throw new Error(`${target}: ${status} ${text}`)
  return JSON.parse(text) as T
}

export function post(
  dashboard: Dashboard,
  value: unknown,
  headers: Record<string, string> = {},
  project = '',
): Promise<Answered> {
  const own = {
    origin: `http://127.0.0.1:${dashboard.port}`,
    'content-type': 'application/json',
    'x-memory-keeper': '1',
    'sec-fetch-site': 'same-origin',
  }
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  const target = project === '' ? '/api/act' : `/api/act?project=${project}`
  return ask(dashboard, target, { method: 'POST', headers: { ...own, ...headers }, body })
}

/** Bytes as they are; what came back until the other side closed, or the wait was over. */
export function sendRaw(port: number, bytes: string | Buffer, waitMs = 1_000): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    const end = (): void => {
      socket.destroy()
      resolve(heard)
    }
    socket.on('data', (piece) => {
      heard += piece.toString('latin1')
    })
    socket.once('close', end).once('error', end)
    setTimeout(end, waitMs)
  })
}

export function codeIn({ text }: Answered): string {
  return (JSON.parse(text) as { error: { code: string } }).error.code
}

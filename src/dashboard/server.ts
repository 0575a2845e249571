/** The server of the page: on this machine's own address only, for who has the token, until it is ended or nobody asks any more. */
import type http from 'node:http'
import type { Socket } from 'node:net'
import { codeOf } from '../platform/disk/files.ts'
import { logFailure } from '../platform/disk/log.ts'
import { KeeperError } from '../platform/error.ts'
import { type GuardVerdict, guardRequest, isOwnPeer, type Secrets } from './guard.ts'
import { type Answer, failed, letIn, readPageFile, refuse, sendAnswer, sendPage } from './page.ts'
import { act } from './views/actions.ts'
import { type Asked, type Memory, type MemoryWorld, openMemory, parseAsked } from './views/memory.ts'
import { viewCharts, viewInjected, viewInjectedOne, viewOverview } from './views/overview.ts'
import { viewArchive, viewKnowledge, viewMemory, viewTier } from './views/remembered.ts'
import { viewItem, viewSearch } from './views/search.ts'
import { viewSession, viewSessions } from './views/sessions.ts'

export interface DashboardOptions extends MemoryWorld {
  /** The page as it was built. */
  pageFile: string
  /** 0: any that is free. */
  port: number
  /** Unguessable, and different from each other. */
  token: string
  cookie: string
  /** Of the user, where the system has such numbers. */
  uid: number | undefined
  idleMs: number
}

export interface Dashboard {
  /** With the token: who opens it is let in. */
  url: string
  port: number
  /** Why it ended. */
  ended: Promise<'idle' | 'closed'>
  close(): void
}

const HOST = '127.0.0.1'
const MOST_BODY_BYTES = 256 * 1024
const MOST_CONNECTIONS = 200
/** Who sends slowly is not waited for. */
const HEAD_MS = 10_000
const REQUEST_MS = 20_000
const KEEP_ALIVE_MS = 15_000
/** So often node looks who is late. */
const LOOK_MS = 2_000

export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  // What cannot be served is told before anybody waits for it.
  readPageFile(options.pageFile)
  const memory = openMemory(options)
  const secrets: Secrets = { port: 0, token: options.token, cookie: options.cookie }
  let end: (why: 'idle' | 'closed') => void = () => {}
  const ended = new Promise<'idle' | 'closed'>((resolve) => {
    end = resolve
  })
  const idle = setTimeout(() => close('idle'), options.idleMs)
  const times = { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: LOOK_MS }
  // Loaded here: the command line program contains this file, and most commands need no server.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer(times, (request, response) => {
    const onAsked = (): unknown => idle.refresh()
    serve({ request, response, memory, pageFile: options.pageFile, secrets, onAsked }).catch((error: unknown) => {
      logFailure(memory.store().places.keeperDir, options.now(), 'dashboard', error)
      response.destroy()
    })
  })
  const close = (why: 'idle' | 'closed'): void => {
    clearTimeout(idle)
    server.close()
    server.closeAllConnections()
    memory.close()
    end(why)
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.maxConnections = MOST_CONNECTIONS
  // Other users of the machine must not take up the connections of the one user.
  server.on('connection', (socket: Socket) => {
    if (!isOwnPeer(socket.remotePort ?? 0, secrets.port, options.uid)) socket.destroy()
  })
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  try {
    secrets.port = await listen(server, options.port)
  } catch (error) {
    close('closed')
    throw error
  }
  const url = `http://${HOST}:${secrets.port}/?token=${options.token}`
  return { url, port: secrets.port, ended, close: () => close('closed') }
}

function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, port)))
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function cannotListen(error: Error, port: number): Error {
  const any = 'Choose another one with --port, or leave it out: then any free one is taken.'
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new KeeperError('port-taken', `Port ${port} is in use by another program. ${any}`, { cause: error })
    case 'EACCES':
      return new KeeperError('port-taken', `Port ${port} may not be used by you. ${any}`, { cause: error })
    default:
      return error
  }
}

interface Exchange {
  request: http.IncomingMessage
  response: http.ServerResponse
  memory: Memory
  pageFile: string
  secrets: Secrets
  /** Somebody who may has asked for something. */
  onAsked: () => void
}

async function serve(exchange: Exchange): Promise<void> {
  const { request, response, pageFile, secrets, onAsked } = exchange
  const { method = '', url: target = '', headers, rawHeaders } = request
  const verdict = guardRequest({ method, target, headers, rawHeaders }, secrets)
  if (verdict.is !== 'refused') onAsked()
  switch (verdict.is) {
    case 'entry':
      // Whoever reads the address later, in a history or in a list of processes, gets nothing for it.
      secrets.token = null
      return letIn(response, verdict.isFromElsewhere, secrets)
    case 'page':
      return sendPage(response, pageFile)
    case 'refused':
      return refuse(request, response, verdict)
    default:
      return sendAnswer(response, await attempt(exchange, verdict))
  }
}

async function attempt(
  { request, memory }: Exchange,
  asked: Extract<GuardVerdict, { is: 'read' | 'act' }>,
): Promise<Answer> {
  try {
    const value =
      asked.is === 'read' ? await answer(memory, asked.path, asked.query) : await act(memory, await readBody(request))
    return { status: 200, value }
  } catch (error) {
    if (error instanceof KeeperError)
      return { status: STATUSES[error.code] ?? 400, value: failed(error.code, error.message) }
    logFailure(memory.store().places.keeperDir, memory.now(), 'dashboard', error)
    const code = codeOf(error)
    const message = `That failed${code === '' ? '' : ` (${code})`}. memory-keeper doctor tells more.`
    return { status: 500, value: failed('fault', message) }
  }
}

const STATUSES: Readonly<Record<string, number>> = {
  'not-found': 404,
  busy: 409,
  already: 409,
  'changed-since': 409,
  nothing: 409,
  'too-large': 413,
  outside: 403,
  'read-only': 403,
}

/** Not with `for await`: leaving that early would close the connection before the answer is sent. */
function readBody(request: http.IncomingMessage): Promise<unknown> {
  const tooLarge = new KeeperError('too-large', `At most ${MOST_BODY_BYTES} bytes are taken.`)
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    request.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes <= MOST_BODY_BYTES) pieces.push(piece)
      else reject(tooLarge)
    })
    request.once('error', reject)
    request.once('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')))
      } catch (error) {
        reject(new KeeperError('usage', 'This is no JSON.', { cause: error }))
      }
    })
  })
}

type View = (memory: Memory, asked: Asked) => unknown

/** With a slash: of one thing, whose name follows. */
const VIEWS: Readonly<Record<string, View>> = {
  overview: viewOverview,
  sessions: viewSessions,
  'session/': viewSession,
  memory: viewMemory,
  'archive/': viewArchive,
  'tier/': viewTier,
  knowledge: viewKnowledge,
  search: viewSearch,
  'item/': viewItem,
  injected: viewInjected,
  'injected/': viewInjectedOne,
  health: (memory) => memory.health(),
  charts: viewCharts,
}

async function answer(memory: Memory, path: string, query: string): Promise<unknown> {
  const read = parseAsked(path, query)
  if (read === null) throw new KeeperError('address', 'This address cannot be read.')
  const view = Object.hasOwn(VIEWS, read.view) ? VIEWS[read.view] : undefined
  if (view === undefined) throw new KeeperError('not-found', 'There is nothing at this address.')
  return view(memory, read.asked)
}

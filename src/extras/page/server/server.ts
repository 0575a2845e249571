/** The server of the page: on this machine's own address only, for the holder of the token, until it is stopped or idle. */
import type http from 'node:http'
import type { Socket } from 'node:net'
import { codeOf } from '../../../kernel/platform/disk/files.ts'
import { logFailure } from '../../../kernel/platform/disk/log.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { type GuardVerdict, guardRequest, isOwnPeer, type Secrets } from './guard.ts'
import { type Answer, failed, letIn, readPageFile, refuse, sendAnswer, sendPage } from './page.ts'
import { act } from './views/actions.ts'
import { type Asked, type Memories, type Others, openMemories, parseAsked } from './views/asked.ts'
import type { Memory, MemoryWorld } from './views/memory.ts'
import { viewCharts, viewInjected, viewInjectedOne, viewOverview, viewPulse, viewToday } from './views/overview.ts'
import { viewArchive, viewKnowledge, viewMemory, viewTier } from './views/remembered.ts'
import { viewItem, viewSearch } from './views/search.ts'
import { viewSession, viewSessions } from './views/sessions.ts'

export interface DashboardOptions extends MemoryWorld {
  /** The built page. */
  pageFile: string
  /** The port; 0: any free one. */
  port: number
  /** If the port is taken, use any free one. */
  orAny?: boolean
  /** Unguessable, and different from each other. The token lets one browser in; the cookie may be that of an earlier start. */
  token: string
  cookie: string
  /** The next token, after one was used; absent: there is none. */
  newToken?: (port: number) => string
  /** The other projects of this machine; absent: only one is shown. */
  others?: Others
  /** The user's id, if the system has such numbers. */
  uid: number | undefined
  idleMs: number
}

export interface Dashboard {
  /** The address with the token: it admits the first browser that opens it. */
  url: string
  port: number
  /** The wanted port, if another program uses it. */
  takenPort?: number
  /** Resolves with the reason when the server ends. */
  ended: Promise<'idle' | 'closed'>
  close(): void
}

const HOST = '127.0.0.1'
const MOST_BODY_BYTES = 256 * 1024
const MOST_CONNECTIONS = 200
/** Slow senders are disconnected. */
const HEAD_MS = 10_000
const REQUEST_MS = 20_000
const KEEP_ALIVE_MS = 15_000
/** How often Node checks for them. */
const LOOK_MS = 2_000

export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  // A missing page is reported before anything waits for it.
  readPageFile(options.pageFile)
  const memories = openMemories(options, options.others)
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
    serve(request, response).catch((error: unknown) => {
      logFailure(memories.of('').store().places.homeDir, options.now(), 'dashboard', error)
      response.destroy()
    })
  })
  const serve = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers, rawHeaders } = request
    const verdict = guardRequest({ method, target, headers, rawHeaders }, secrets)
    if (verdict.is === 'refused') return refuse(request, response, verdict)
    idle.refresh()
    if (verdict.is === 'page') return sendPage(response, options.pageFile)
    if (verdict.is !== 'entry') return sendAnswer(response, await attempt(request, memories, verdict))
    // The token works once: an address found later in a history or process list is useless.
    secrets.token = options.newToken?.(secrets.port) ?? null
    letIn(response, verdict.isFromElsewhere, secrets)
  }
  const close = (why: 'idle' | 'closed'): void => {
    clearTimeout(idle)
    server.close()
    server.closeAllConnections()
    memories.close()
    end(why)
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.maxConnections = MOST_CONNECTIONS
  // Other users of the machine must not use up the connections.
  server.on('connection', (socket: Socket) => {
    if (!isOwnPeer(socket.remotePort ?? 0, secrets.port, options.uid)) socket.destroy()
  })
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  try {
    secrets.port = await listen(server, options.port, options.orAny === true)
  } catch (error) {
    close('closed')
    throw error
  }
  const isElsewhere = options.port !== 0 && secrets.port !== options.port
  // A browser may have sent the cookie of an earlier start to the program that now uses the port.
  if (isElsewhere) {
    const { createHash } = process.getBuiltinModule('node:crypto')
    secrets.cookie = createHash('sha256').update(options.token).update(options.cookie).digest('hex')
  }
  const url = addressOf(secrets.port, options.token)
  const taken = isElsewhere ? { takenPort: options.port } : {}
  return { url, port: secrets.port, ...taken, ended, close: () => close('closed') }
}

/** The address with the token, which admits one browser. */
export function addressOf(port: number, token: string): string {
  return `http://${HOST}:${port}/?token=${token}`
}

function listen(server: http.Server, port: number, orAny: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const reason = cannotListen(error, port)
      if (!orAny || !(reason instanceof KeeperError)) return reject(reason)
      listen(server, 0, false).then(resolve, reject)
    })
    server.listen({ host: HOST, port, exclusive: true }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function cannotListen(cause: Error, port: number): Error {
  const code = codeOf(cause)
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return cause
  const why = code === 'EACCES' ? 'may not be used by you' : 'is in use by another program'
  const any = 'Choose another one with --port; --port 0 takes any free one.'
  return new KeeperError('port-taken', `Port ${port} ${why}. ${any}`, { cause })
}

async function attempt(
  request: http.IncomingMessage,
  memories: Memories,
  asked: Extract<GuardVerdict, { is: 'read' | 'act' }>,
): Promise<Answer> {
  try {
    const memory = (): Memory => memories.of(new URLSearchParams(asked.query).get('project') ?? '')
    if (asked.is === 'act') return { status: 200, value: await act(memory(), await readBody(request)) }
    if (asked.path === 'projects') return { status: 200, value: memories.list() }
    return { status: 200, value: await answer(memory(), asked.path, asked.query) }
  } catch (error) {
    if (error instanceof KeeperError)
      return { status: STATUSES[error.code] ?? 400, value: failed(error.code, error.message) }
    const main = memories.of('')
    logFailure(main.store().places.homeDir, main.now(), 'dashboard', error)
    const code = codeOf(error)
    const message = `That failed${code === '' ? '' : ` (${code})`}. memory-keeper doctor shows more.`
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

/** Not with `for await`: leaving it early would close the connection before the answer is sent. */
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
        reject(new KeeperError('usage', 'This is not JSON.', { cause: error }))
      }
    })
  })
}

type View = (memory: Memory, asked: Asked) => unknown

/** Views by the beginning of the path. With a slash: the view of one item, whose name follows. */
const VIEWS: Readonly<Record<string, View>> = {
  overview: viewOverview,
  pulse: viewPulse,
  today: viewToday,
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

/**
 * Answers the host's first messages (greeting and list of tools) from answers that the build recorded from the library, because the host
 * waits for them before its first request. On any other message the library is loaded and continues after the greeting.
 */
import { asToday } from '../../core/tools.ts'
import { isObject } from '../../kernel/platform/json.ts'

export interface Greeting {
  /** The protocol in which every request names its version. */
  modernVersion: string
  modern: Readonly<Record<string, object>>
  /** The protocol that begins with `initialize`, in the versions that the library accepts. */
  legacyVersions: readonly string[]
  legacy: Readonly<Record<string, object>>
  /** The same in both. */
  tools: readonly object[]
}

export interface Message {
  jsonrpc: '2.0'
  id?: string | number | undefined
  method?: string | undefined
  params?: Record<string, unknown> | undefined
  result?: unknown
}

/** The transport of the library. */
export interface LibraryTransport {
  start(): Promise<void>
  send(message: Message): Promise<void>
  close(): Promise<void>
  onmessage?: ((message: Message) => void) | undefined
}

/** Messages that the library must receive as well, although they were already answered. */
const OPENING: readonly string[] = ['server/discover', 'initialize', 'notifications/initialized']

/** Returns the function that receives each message of the host. */
export function openFront(
  greeting: Greeting,
  send: (message: Message) => void,
  load: (transport: LibraryTransport) => void,
): (message: Message) => void {
  const opening: Message[] = []
  let transport: LibraryTransport | null = null
  return (message) => {
    if (transport !== null) return transport.onmessage?.(withTodaysTool(message))
    const { id, method = '' } = message
    const result = answerTo(greeting, message)
    if (result !== null) {
      if (OPENING.includes(method)) opening.push(message)
      if (id !== undefined) send({ jsonrpc: '2.0', id, result })
      return
    }
    transport = transportTo(send, opening)
    load(transport)
    for (const one of [...opening, withTodaysTool(message)]) transport.onmessage?.(one)
  }
}

function withTodaysTool(message: Message): Message {
  const { name, arguments: input } = message.params ?? {}
  if (message.method !== 'tools/call' || typeof name !== 'string' || !isObject(input)) return message
  const [today, renamed] = asToday(name, input)
  return { ...message, params: { ...message.params, name: today, arguments: renamed } }
}

/** Null: the library must answer. */
function answerTo(greeting: Greeting, message: Message): object | null {
  if (message.method === 'notifications/initialized') return {}
  const result = resultOf(greeting, message)
  return result !== null && message.method === 'tools/list' ? { ...result, tools: greeting.tools } : result
}

function resultOf(greeting: Greeting, { method = '', params }: Message): object | null {
  const meta = (params?._meta ?? {}) as Record<string, unknown>
  const named = meta['io.modelcontextprotocol/protocolVersion']
  if (named !== undefined) return named === greeting.modernVersion ? (greeting.modern[method] ?? null) : null
  const result = greeting.legacy[method] ?? null
  if (method !== 'initialize' || result === null) return result
  const protocolVersion = String(params?.protocolVersion)
  return greeting.legacyVersions.includes(protocolVersion) ? { ...result, protocolVersion } : null
}

/** Drops the library's answers to messages that were already answered. */
function transportTo(send: (message: Message) => void, opening: readonly Message[]): LibraryTransport {
  const answered = new Set(opening.flatMap(({ id }) => (id === undefined ? [] : [id])))
  return {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      const isAnswer = message.method === undefined && message.id !== undefined
      if (!(isAnswer && answered.delete(message.id ?? ''))) send(message)
      return Promise.resolve()
    },
  }
}

/** The scripted model: a Messages API on loopback that records what it is asked and answers from a script. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MessagesBody, type ModelRequest, type RequestKind, readRequest, shorten } from './request.ts'
import { type Answer, audits, type Block, inForm, newId, says, type Turn } from './turn.ts'
import { until } from './until.ts'

/** A list is used up in order; a function answers all requests that no list covers. */
export type Script = readonly Answer[] | ((request: ModelRequest) => Turn)

export interface Model {
  url: string
  requests: ModelRequest[]
  /** Requests of the main thread, a subagent or our child that got a plain "ok" because the script had ended. */
  unscripted(): number
  /** Requests that are being answered right now. */
  pending(): number
  script(script: Script): void
  onSubagent(script: Script): void
  onCompaction(script: Script): void
  /** Our own headless child. */
  onChild(script: Script): void
  /** Our own child that audits claims; without a script it says yes to all. */
  onAudit(script: Script): void
  onSide(script: Script): void
  end(): Promise<void>
}

const PIECE_LENGTH = 24
/** No model answers at once. The host writes the lines of prompt and tools meanwhile: the older one would write the answer before the prompt. */
const THINKING_MS = 150

export async function startModel(): Promise<Model> {
  const cast = {
    main: newPart('ok'),
    subagent: newPart('ok'),
    compaction: newPart(SUMMARY),
    child: newPart('ok'),
    audit: { ...newPart('ok'), otherwise: audits() },
    side: newPart('{"title":"a title"}'),
  }
  const requests: ModelRequest[] = []
  let pending = 0
  const server = createServer((request, response) => {
    pending += 1
    response.once('close', () => {
      pending -= 1
    })
    reply(request, response, cast, requests).catch((error: unknown) => {
      sendJson(response, 500, { type: 'error', error: { type: 'api_error', message: String(error) } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    unscripted: () => cast.main.unscripted + cast.subagent.unscripted + cast.child.unscripted,
    pending: () => pending,
    script: (script) => learn(cast.main, script),
    onSubagent: (script) => learn(cast.subagent, script),
    onCompaction: (script) => learn(cast.compaction, script),
    onChild: (script) => learn(cast.child, script),
    onAudit: (script) => learn(cast.audit, script),
    onSide: (script) => learn(cast.side, script),
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const SUMMARY = '<analysis>Looked back.</analysis><summary>A summary of what came before.</summary>'

/** What the model will say to one kind of request. */
interface Part {
  queue: Answer[]
  otherwise: ((request: ModelRequest) => Turn) | null
  fallback: string
  unscripted: number
}

type Cast = Record<RequestKind, Part>

function newPart(fallback: string): Part {
  return { queue: [], otherwise: null, fallback, unscripted: 0 }
}

function learn(part: Part, script: Script): void {
  if (typeof script === 'function') part.otherwise = script
  else part.queue.push(...script)
}

function nextTurn(part: Part, request: ModelRequest): Turn {
  const answer = part.queue.shift() ?? part.otherwise
  if (answer !== null) return typeof answer === 'function' ? answer(request) : answer
  part.unscripted += 1
  return says(part.fallback)
}

async function reply(
  message: IncomingMessage,
  response: ServerResponse,
  cast: Cast,
  requests: ModelRequest[],
): Promise<void> {
  const raw = await text(message)
  const path = new URL(message.url ?? '/', 'http://localhost').pathname
  if (path === '/v1/messages/count_tokens') return sendJson(response, 200, { input_tokens: estimateTokens(raw) })
  if (path === '/v1/models')
    return sendJson(response, 200, { data: [], has_more: false, first_id: null, last_id: null })
  if (path !== '/v1/messages') return sendJson(response, path === '/' ? 200 : 404, {})

  const request = readRequest(JSON.parse(raw) as MessagesBody, message.headers)
  requests.push(request)
  response.once('close', () => {
    request.endedAt = Date.now()
  })
  const next = nextTurn(cast[request.kind], request)
  const turn = request.kind === 'child' ? inForm(next, request) : next
  if (turn.after !== undefined) await until('what an answer waits for', turn.after)
  await sleep(turn.delayMs ?? (request.kind === 'main' && !usesTool(turn) ? THINKING_MS : 0))
  request.answered = turn.error ? `error ${turn.error.status}` : turn.blocks.map(describeBlock).join(', ')
  if (turn.error) {
    const { status, ...error } = turn.error
    return sendJson(response, status, { type: 'error', error })
  }
  if (request.body.stream !== true) return sendJson(response, 200, toMessage(turn, request.model))
  await streamTurn(response, turn, request.model)
}

function usesTool({ blocks }: Turn): boolean {
  return blocks.some((block) => block.type === 'tool_use')
}

function toMessage(turn: Turn, model: string) {
  return {
    id: newId('msg_01'),
    type: 'message',
    role: 'assistant',
    model,
    content: turn.blocks,
    stop_reason: usesTool(turn) ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: estimateTokens(JSON.stringify(turn.blocks)),
      ...turn.usage,
    },
  }
}

async function streamTurn(response: ServerResponse, turn: Turn, model: string): Promise<void> {
  const { content, stop_reason, stop_sequence, usage, ...message } = toMessage(turn, model)
  const send = (type: string, fields: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': newId('req_01') })
  send('message_start', {
    message: { ...message, content: [], stop_reason: null, stop_sequence, usage: { ...usage, output_tokens: 1 } },
  })
  for (const [index, block] of content.entries()) {
    send('content_block_start', { index, content_block: emptied(block) })
    for (const delta of deltas(block)) {
      // The host hung up: the user pressed Escape, or it was killed.
      if (response.destroyed) return
      send('content_block_delta', { index, delta })
      if (turn.pieceDelayMs !== undefined) await sleep(turn.pieceDelayMs)
    }
    send('content_block_stop', { index })
  }
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage })
  send('message_stop', {})
  response.end()
}

function emptied(block: Block): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' }
    case 'thinking':
      return { ...block, thinking: '', signature: '' }
    case 'tool_use':
      return { ...block, input: {} }
  }
}

function deltas(block: Block): object[] {
  switch (block.type) {
    case 'text':
      return pieces(block.text).map((piece) => ({ type: 'text_delta', text: piece }))
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  }
}

function pieces(whole: string): string[] {
  const count = Math.ceil(whole.length / PIECE_LENGTH)
  return Array.from({ length: count }, (_, index) => whole.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH))
}

function describeBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return `says "${shorten(block.text)}"`
    case 'thinking':
      return 'thinks'
    case 'tool_use':
      return `uses ${block.name} ${shorten(JSON.stringify(block.input))}`
  }
}

function estimateTokens(written: string): number {
  return Math.ceil(written.length / 4)
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

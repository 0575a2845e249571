/** The scripted model of a history. Its answers depend on the request alone, so that any number of sessions may ask at once. */
import path from 'node:path'
import type { Model } from '../../test/host/support/model.ts'
import type { ModelRequest } from '../../test/host/support/request.ts'
import { fails, says, type Turn, type TurnOptions, uses } from '../../test/host/support/turn.ts'
import type { History, Order, Run, Work } from './history-plan.ts'

/** A prompt begins with it; no text that a hook injects into a request does. */
const ORDER = /^Order (k\d+x\d+)\b/
const ERRAND = /Errand (k\d+x\d+)\b/
/** Enough words for a note of a model: about less, code writes it. Names nothing that could be missing in the session. */
const NOTE =
  'The quay was measured from the north to the south, and every depth was written into the table beside the old ones. ' +
  'Two of them differ from the charts by more than a metre, so they are to be measured again when the tide is low.'
/** The tool takes so long, and each of the pieces of a slow answer. */
const SLOW_TOOL_S = 2
const SLOW_PIECE_MS = 150
/** With these many tokens in use the host compacts. */
const FULL = { input_tokens: 195_000 }

export function promptOf({ token }: Order): string {
  return `Order ${token}: please measure the quay once more, from the north to the south, and report what you find.`
}

/** What the host is given for an order whose usage makes it compact. */
export function compactionArgs({ acts }: Run): string[] {
  return acts.some((act) => act.do === 'say' && act.order.fills) ? ['--autocompact', '100k'] : []
}

/** `dir`: where the model writes its files. */
export function scriptModel(model: Model, history: History, dir: string, random: () => number): void {
  const orders = ordersOf(history)
  model.script((request) => answerTo(request, orders, dir))
  model.onSubagent(runErrand)
  model.onChild(() => writeNote(random()))
}

function ordersOf({ groups }: History): Map<string, Order> {
  const acts = groups.flatMap(({ runs }) => runs).flatMap((run) => run.acts)
  return new Map(acts.flatMap((act) => (act.do === 'say' ? [[act.order.token, act.order] as const] : [])))
}

/** The next thing to do about the newest order in a request; the number of tool uses since tells how far it is. */
function answerTo({ messages }: ModelRequest, orders: ReadonlyMap<string, Order>, dir: string): Turn {
  const at = messages.findLastIndex((message) => message.role === 'user' && orderIn(message) !== undefined)
  const message = messages[at]
  const order = message && orders.get(orderIn(message) ?? '')
  // After a compaction in the middle of an order the request no longer contains it.
  if (order === undefined) return says('Nothing is left to do.')
  const done = messages.slice(at).filter(({ role, content }) => role === 'assistant' && usesTool(content)).length
  const work = order.works[done]
  if (work !== undefined) return doWork(work, dir, order.fills && done === 0 ? { usage: FULL } : {})
  const answer = `The quay is measured for ${order.token}. Every depth is in the table, and nothing is open.`
  return says(answer, order.isSlow ? { pieceDelayMs: SLOW_PIECE_MS } : {})
}

function orderIn({ content }: ModelRequest['messages'][number]): string | undefined {
  const texts = typeof content === 'string' ? [content] : content.map(({ text }) => text ?? '')
  return texts.map((text) => ORDER.exec(text.trim())?.[1]).find((token) => token !== undefined)
}

function usesTool(content: ModelRequest['messages'][number]['content']): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_use')
}

function doWork({ tool, token, isSlow }: Work, dir: string, usage: TurnOptions): Turn {
  switch (tool) {
    case 'Bash':
      return uses('Bash', { command: bash(token, isSlow) }, usage)
    case 'Write':
      return uses('Write', { file_path: path.join(dir, `measured-${token}.txt`), content: `${token}\n` }, usage)
    case 'Agent': {
      const prompt = `Errand ${token}: measure one depth and report it.${isSlow ? ' Take your time.' : ''}`
      const subagent_type = 'general-purpose'
      return uses('Agent', { description: `errand ${token}`, prompt, subagent_type, run_in_background: false }, usage)
    }
  }
}

function bash(token: string, isSlow: boolean): string {
  const echo = `echo measured ${token} along the quay, from the north to the south, with a rope and a lead`
  return isSlow ? `sleep ${SLOW_TOOL_S}; ${echo}` : echo
}

function runErrand({ text, toolResults }: ModelRequest): Turn {
  const token = ERRAND.exec(text)?.[1] ?? 'nothing'
  const isSlow = text.includes('Take your time.')
  if (toolResults.length === 0) return uses('Bash', { command: `${bash(`${token}a`, isSlow)} # in a subagent` })
  return says(`The depth of ${token}b is twelve metres.`)
}

/** Mostly a note, now and then late, and sometimes a failure. */
function writeNote(chance: number): Turn {
  if (chance < 0.03) return fails(529, 'overloaded_error', 'Overloaded')
  if (chance < 0.06) return says('')
  return says(NOTE, { delayMs: chance < 0.5 ? 0 : chance * 2_500 })
}

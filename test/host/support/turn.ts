/** What the scripted model answers: a turn is one assistant message, put together from a few words. */
import { randomBytes } from 'node:crypto'
import { type ModelRequest, STRUCTURED } from './request.ts'

export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

export interface Usage {
  input_tokens: number
  output_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
}

export interface ApiError {
  status: number
  type: string
  message: string
}

export interface TurnOptions {
  thinking?: string
  /** Before the first byte of the answer. */
  delayMs?: number
  /** Not before this is true. */
  after?: () => boolean
  /** Between two pieces of streamed text: slow enough to be interrupted in the middle. */
  pieceDelayMs?: number
  /** Large input_tokens make the host compact by itself. */
  usage?: Partial<Usage>
}

export interface Turn extends Omit<TurnOptions, 'thinking'> {
  blocks: Block[]
  error?: ApiError
}

/** A turn, or how to make one from what the model was asked. */
export type Answer = Turn | ((request: ModelRequest) => Turn)

export function says(text: string, options: TurnOptions = {}): Turn {
  return turn({ type: 'text', text }, options)
}

export function uses(name: string, input: Record<string, unknown>, options: TurnOptions = {}): Turn {
  return turn({ type: 'tool_use', id: newId('toolu_01'), name, input }, options)
}

/** The answer of a child that is asked for an object: note, facts, verdicts, whatever its schema names. */
export function extracts(answer: Record<string, unknown>, options: TurnOptions = {}): Turn {
  return uses(STRUCTURED, answer, options)
}

/** A child asked for an object answers in the form that is asked for: words are its note, what is missing is empty. */
export function inForm(turn: Turn, { body, text }: ModelRequest): Turn {
  const properties = body.tools?.find(({ name }) => name === STRUCTURED)?.input_schema?.properties
  const [said, ...others] = turn.blocks
  if (properties === undefined || said === undefined || others.length > 0) return turn
  const words = said.type === 'text' && said.text !== '' ? { note: said.text } : null
  const given = said.type === 'tool_use' && said.name === STRUCTURED ? said.input : words
  if (given === null) return turn
  const entry = Number(/^#(\d+) \[/m.exec(text)?.[1] ?? 0)
  const empty = Object.entries(properties).map(([name, { type }]) => [
    name,
    type === 'array' ? [] : type === 'object' ? { text: '', entry } : '',
  ])
  const whole: Record<string, unknown> = { ...Object.fromEntries(empty), ...given }
  if ('note' in properties && typeof whole.note === 'string') whole.note = [{ sentence: whole.note, entry }]
  const facts = Array.isArray(whole.facts) ? whole.facts : []
  if ('note' in properties) whole.facts = facts.map((fact: object) => ({ entry, ...fact }))
  return { ...turn, blocks: extracts(whole).blocks }
}

/** An auditor who says yes to every claim, but for those that contain one of these texts. */
export function audits(denied: readonly string[] = []): (request: ModelRequest) => Turn {
  return ({ text }) => {
    const verdicts = [...text.matchAll(/^claim (\d+): (.*)$/gm)].map(([, n, claim = '']) => ({
      n: Number(n),
      verdict: denied.some((one) => claim.includes(one)) ? 'no' : 'yes',
    }))
    return extracts({ verdicts })
  }
}

/** One message with the blocks of all: `together(says('Let me look.'), uses('Read', a), uses('Read', b))`. */
export function together(...turns: readonly Turn[]): Turn {
  return Object.assign({}, ...turns, { blocks: turns.flatMap((each) => each.blocks) })
}

/** The host tries most errors again: script a function to keep failing. */
export function fails(status: number, type = 'api_error', message = 'scripted error'): Turn {
  return { blocks: [], error: { status, type, message } }
}

export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`
}

function turn(block: Block, { thinking, ...rest }: TurnOptions): Turn {
  const thought: Block[] =
    thinking === undefined
      ? []
      : [{ type: 'thinking', thinking, signature: Buffer.from('scripted').toString('base64') }]
  return { ...rest, blocks: [...thought, block] }
}

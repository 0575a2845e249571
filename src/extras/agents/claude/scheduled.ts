/** Whether a line that the host takes for typed is one that Claude gave to a schedule before, or that the host marks as a schedule's. */
import { isObject } from '../../../kernel/platform/json.ts'
import { isSameLine } from '../../../kernel/transcript/same-line.ts'
import { writtenBy } from './author.ts'

/**
 * `line`: of the session's transcript, or of a subagent's. The host writes the line of an order after our hook, but it has written by then which
 * tool use was given this text as a `prompt`: those that schedule are called so by each host. `CronCreate` and `ScheduleWakeup` are
 * such, and a later tool need not be known.
 */
export function schedules(line: string, order: string): boolean {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return false
  }
  if (!isObject(parsed)) return false
  const is = (text: unknown): boolean => isSameLine(text, order)
  const { type, message, attachment, prompt, content } = parsed
  const said = isObject(message) ? message.content : content
  const blocks = Array.isArray(said) ? said.filter(isObject) : []
  // The host's own note that a schedule fires.
  if (type === 'system' && is(prompt)) return true
  if (type === 'assistant') return blocks.some(({ input }) => isObject(input) && is(input.prompt))
  if (type === 'attachment' && isObject(attachment))
    return is(attachment.prompt) && writtenBy('attachment', attachment, parsed).author === 'machine'
  const isLine = is(said) || blocks.some(({ text }) => is(text))
  return type === 'user' && isLine && writtenBy('message', parsed).author === 'machine'
}

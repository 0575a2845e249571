/** What Claude Code records beside the text of a tool's result (`toolUseResult`): the answers in a dialog, and a subagent's report. */
import { isObject } from '../../../kernel/platform/json.ts'
import type { Recorded } from '../../../kernel/transcript/dialog.ts'
import type { Report } from '../../../kernel/transcript/transcript.ts'

/** The host's answer for a question with nothing but notes. */
const NOTES_ONLY = '(notes only)'

/** Null: the host recorded no answers. */
export function answersIn(record: unknown): Recorded | null {
  if (!isObject(record) || !isObject(record.answers)) return null
  const { answers, response } = record
  const annotations = isObject(record.annotations) ? record.annotations : {}
  const questions = Array.isArray(record.questions) ? record.questions : []
  const asked = questions.flatMap((one: unknown) => (isObject(one) ? [one.question] : []))
  // In the order of the host's sentence.
  const all = new Set([...asked, ...Object.keys(answers), ...Object.keys(annotations)])
  return {
    answers: [...all].flatMap((question) =>
      typeof question === 'string' ? answerTo(question, own(answers, question), own(annotations, question)) : [],
    ),
    response: textIn(response),
  }
}

function answerTo(question: string, given: unknown, annotation: unknown): Recorded['answers'] {
  const { notes, preview, unanswered } = isObject(annotation) ? annotation : {}
  const chosen = Array.isArray(given) ? given.filter((one) => typeof one === 'string').join(', ') : given
  // Of a question that was skipped, the host says in place of an answer how it ended.
  const isAnswer = typeof chosen === 'string' && chosen !== '' && chosen !== NOTES_ONLY && unanswered === undefined
  if (!isAnswer && textIn(notes) === '') return []
  return [{ question, answer: isAnswer ? chosen : null, preview: textIn(preview), notes: textIn(notes) }]
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** `text`: empty while the agent works in the background. */
export function reportOf(record: unknown): Report {
  const { agentId, content } = isObject(record) ? record : {}
  return { ran: typeof agentId === 'string' && agentId !== '' ? agentId : undefined, text: textOfBlocks(content) }
}

function textOfBlocks(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((one: unknown) => (isObject(one) && one.type === 'text' && typeof one.text === 'string' ? [one.text] : []))
    .join('\n')
}

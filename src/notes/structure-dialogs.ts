/** What was put to the user in a digest by structure: answered questions, plans, and tool uses that they refused. */
import { shorten } from '../text/shorten.ts'
import type { Entry } from '../transcript/session.ts'
import { chosenIn } from '../transcript/words.ts'
import { type Line, onOneLine } from './structure-text.ts'
import { promptHead, type Turn } from './structure-turns.ts'

const QUESTION_CHARS = 170
const ANSWER_CHARS = 220
const TARGET_CHARS = 80

type ToolUse = Extract<Entry, { role: 'tool' }>

/** What became of something that Claude put to the user. */
export type Dialog =
  | { is: 'answer'; question: string; answer: string; quote: string; n: number }
  | { is: 'plan'; heading: string; items: string[]; state: 'approved' | 'refused' | 'written'; n: number }
  /** `comment`: what the user typed with it, at entry `at`; empty: nothing. */
  | { is: 'refusal'; tool: string; target: string; comment: string; next: string; n: number; at: number }

export function dialogsIn(turns: readonly Turn[]): Dialog[] {
  return turns.flatMap(({ entries }, i) =>
    entries.flatMap(({ n, entry }, at): Dialog[] => {
      if (entry.role === 'user' && entry.via === 'AskUserQuestion')
        return chosenIn(entry.text).map(({ question, answer, quote }) => ({ is: 'answer', question, answer, quote, n }))
      if (entry.role !== 'tool') return []
      if (entry.name === 'ExitPlanMode') return [planOf(entry, n, turns.slice(i + 1))]
      if (entry.refused !== true) return []
      const comment = entries.slice(at + 1, at + 3).find((one) => isCommentOn(one.entry, entry))
      return [
        {
          is: 'refusal',
          tool: entry.name,
          target: onOneLine(entry.cmd),
          comment: comment !== undefined && 'text' in comment.entry ? onOneLine(comment.entry.text) : '',
          next: promptHead(turns[i + 1]?.prompt ?? '', '', []),
          n,
          at: comment?.n ?? n,
        },
      ]
    }),
  )
}

function isCommentOn(entry: Turn['entries'][number]['entry'], { name }: ToolUse): boolean {
  return entry.role === 'user' && entry.via === name
}

/** A plan that is carried out in a cleared context comes back in a later prompt, with its heading. */
function planOf({ cmd, ok, refused }: ToolUse, n: number, later: readonly Turn[]): Dialog {
  const lines = cmd.split('\n').map(onOneLine)
  const first = lines.find((line) => line !== '') ?? ''
  const heading = first.replace(/^#+ /, '')
  const items = lines.flatMap((line) => /^(?:[-*]|\d+[.)]) (.+)/.exec(line)?.[1] ?? [])
  const isTakenUp = heading !== '' && later.some(({ prompt }) => prompt.includes(heading))
  const state = refused === true ? 'refused' : ok === true || isTakenUp ? 'approved' : 'written'
  return { is: 'plan', heading, items, state, n }
}

export function dialogLines(turns: readonly Turn[]): Line[] {
  return dialogsIn(turns).map((dialog) => ({ text: dialogText(dialog), n: dialog.n }))
}

const PLAN_STATES = { approved: 'approved', refused: 'refused', written: 'written (no approval seen)' } as const

function dialogText(dialog: Dialog): string {
  if (dialog.is === 'answer')
    return `Answered: ${shorten(dialog.question, QUESTION_CHARS)} → ${shorten(dialog.answer, ANSWER_CHARS)}`
  if (dialog.is === 'plan') {
    const items = dialog.items.length === 0 ? '' : ` – ${shorten(dialog.items.join('; '), ANSWER_CHARS)}`
    return `Plan ${PLAN_STATES[dialog.state]}: ${shorten(dialog.heading, QUESTION_CHARS)}${items}`
  }
  const words = dialog.comment === '' ? dialog.next : dialog.comment
  const said = words === '' ? '' : ` – ${dialog.comment === '' ? 'next prompt: ' : ''}${shorten(words, ANSWER_CHARS)}`
  const isQuestion = dialog.tool === 'AskUserQuestion'
  return `${isQuestion ? 'Not answered' : 'Refused'}: ${isQuestion ? '' : `${dialog.tool} `}${shorten(dialog.target, TARGET_CHARS)}${said}`
}

/** The user's decisions in a digest by structure: answered questions, plans, and refused tool uses. */
import { perObject } from '../../kernel/text/once.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { chosenIn } from '../../kernel/transcript/dialog.ts'
import type { Entry } from '../../kernel/transcript/session.ts'
import { type Line, onOneLine } from './structure-text.ts'
import { promptHead, type Turn } from './structure-turns.ts'

const QUESTION_CHARS = 170
const ANSWER_CHARS = 220
const TARGET_CHARS = 80

type ToolUse = Extract<Entry, { role: 'tool' }>

/** The result of something that Claude asked the user. */
export type Dialog =
  | { is: 'answer'; question: string; answer: string; quote: string; n: number }
  /** `comment`: the text that the user typed with it; may be empty. */
  | {
      is: 'plan'
      heading: string
      items: string[]
      state: 'approved' | 'refused' | 'shown'
      comment: string
      n: number
    }
  /** `at`: the entry of the comment. */
  | { is: 'refusal'; tool: string; target: string; comment: string; next: string; n: number; at: number }

export function dialogsIn(turns: readonly Turn[]): Dialog[] {
  return turns.flatMap(({ entries }, i) =>
    entries.flatMap(({ n, entry }, at): Dialog[] => {
      if (entry.role === 'user' && entry.via === 'AskUserQuestion')
        return chosenIn(entry.text).map(({ question, answer, quote }) => ({ is: 'answer', question, answer, quote, n }))
      if (entry.role !== 'tool') return []
      const comment = entries
        .slice(at + 1, at + 3)
        .find((one) => one.entry.role === 'user' && one.entry.via === entry.name)
      const said = comment !== undefined && 'text' in comment.entry ? onOneLine(comment.entry.text) : ''
      if (entry.name === 'ExitPlanMode') return [planOf(entry, n, turns.slice(i + 1), said)]
      // A refusal whose call is in another file belongs to the plan that this session carries out.
      if (entry.refused !== true || entry.cmd === '') return []
      return [
        {
          is: 'refusal',
          tool: entry.name,
          target: onOneLine(entry.cmd),
          comment: said,
          next: promptHead(turns[i + 1]?.prompt ?? '', '', []),
          n,
          at: comment?.n ?? n,
        },
      ]
    }),
  )
}

/** A plan that is carried out in a cleared context appears in a later prompt, with its heading. */
function planOf({ cmd, ok, refused }: ToolUse, n: number, later: readonly Turn[], comment: string): Dialog {
  const lines = cmd.split('\n').map(onOneLine)
  const first = lines.find((line) => line !== '') ?? ''
  const heading = first.replace(/^#+ /, '')
  const items = lines.flatMap((line) => /^(?:[-*]|\d+[.)]) (.+)/.exec(line)?.[1] ?? [])
  const isTakenUp = heading !== '' && later.some(({ prompt }) => prompt.includes(heading))
  const state = ok === true || isTakenUp ? 'approved' : refused === true && comment !== '' ? 'refused' : 'shown'
  return { is: 'plan', heading, items, state, comment, n }
}

export const dialogLines = perObject((turns: readonly Turn[]): readonly Line[] => {
  return dialogsIn(turns).map((dialog) => ({ text: dialogText(dialog), n: dialog.n }))
})

/** Without a comment nobody knows: the host records the same when the plan is carried out in a cleared context. */
const PLAN_STATES = { approved: 'approved', refused: 'refused', shown: 'shown' } as const

function dialogText(dialog: Dialog): string {
  if (dialog.is === 'answer')
    return `Answered: ${shorten(dialog.question, QUESTION_CHARS)} → ${shorten(dialog.answer, ANSWER_CHARS)}`
  if (dialog.is === 'plan') {
    // The user's comment is more informative than the plan's items.
    const words = dialog.comment === '' ? dialog.items.join('; ') : dialog.comment
    return `Plan ${PLAN_STATES[dialog.state]}: ${shorten(dialog.heading, QUESTION_CHARS)}${words === '' ? '' : ` – ${shorten(words, ANSWER_CHARS)}`}`
  }
  const words = dialog.comment === '' ? dialog.next : dialog.comment
  const said = words === '' ? '' : ` – ${dialog.comment === '' ? 'next prompt: ' : ''}${shorten(words, ANSWER_CHARS)}`
  const isQuestion = dialog.tool === 'AskUserQuestion'
  return `${isQuestion ? 'Not answered' : 'Refused'}: ${isQuestion ? '' : `${dialog.tool} `}${shorten(dialog.target, TARGET_CHARS)}${said}`
}

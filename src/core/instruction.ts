/** Every sentence that asks Claude for something; short and always the same, so that the host's prompt cache survives. */
import { DELTA_FILE } from './layout.ts'
import type { Owed } from './pending.ts'

const SKILLS = { note: 'memory-keeper:memory-delta', summary: 'memory-keeper:memory-rotate' } as const
const MARKS = {
  note: `[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`,
  summary: '[MEMORY_KEEPER_ROTATE]',
} as const
const WHAT = { note: 'recent work waits for its note', summary: 'an archive waits for its summary' } as const

/** With a person's prompt. `paths`: what each skill is to read. */
export function renderRequest(owed: readonly Owed[], pathOf: (owed: Owed) => string): string {
  return owed
    .map(
      (each) =>
        `${markOf(each)}\nMemory Keeper: ${WHAT[each.step]}. First call the Skill tool once with skill "${SKILLS[each.step]}" and args "${pathOf(each)}"; then answer the user's prompt as usual, without a word about this.`,
    )
    .join('\n\n')
}

/** At the end of a turn, numbered as steps. */
export function renderSteps(owed: readonly Owed[], pathOf: (owed: Owed) => string): string {
  const steps = owed.map(
    (each, i) =>
      `STEP ${i + 1}: ${WHAT[each.step]}. Call the Skill tool with skill "${SKILLS[each.step]}" and args "${pathOf(each)}".`,
  )
  return ['Memory Keeper: before this turn ends,', ...steps, 'Then stop; the user needs no word about it.'].join('\n')
}

function markOf(owed: Owed): string {
  return owed.step === 'summary' ? `${MARKS.summary} file=${owed.subject}` : MARKS.note
}

/** Said once, to the user, before the first background call. */
export function renderModelNotice(saveInterval: number, callsPerDay: number): string {
  return [
    `Memory Keeper writes a note about your work after every ${saveInterval} tool uses and at the end of a session.`,
    `For that it runs a short background call of claude (Haiku, no tools): about 5,000 to 20,000 tokens each, often a cent or less, at most ${callsPerDay} a day.`,
    'To do it without a model, ask Claude to run: memory-keeper config set summarizer extractive',
  ].join(' ')
}

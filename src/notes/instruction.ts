/** Every sentence that asks Claude for something; short and always the same, so that the host's prompt cache survives. */
import { DELTA_FILE } from '../platform/layout.ts'
import type { Owed, Step } from './pending.ts'

const SKILLS: Readonly<Record<Step, string>> = {
  note: 'memory-keeper:write-note',
  summary: 'memory-keeper:write-summary',
  facts: 'memory-keeper:write-facts',
  concepts: 'memory-keeper:write-facts',
  reflection: 'memory-keeper:judge-rules',
}
const MARKS: Readonly<Record<Step, string>> = {
  note: `[MEMORY_KEEPER_DELTA] file=${DELTA_FILE}`,
  summary: '[MEMORY_KEEPER_ROTATE]',
  facts: '[MEMORY_KEEPER_FACTS]',
  concepts: '[MEMORY_KEEPER_CONCEPTS]',
  reflection: '[MEMORY_KEEPER_REFLECT]',
}
const WHAT: Readonly<Record<Step, string>> = {
  note: 'recent work waits for its note',
  summary: 'an archive waits for its summary',
  facts: 'recent work waits for its facts',
  concepts: 'facts wait for their concepts',
  reflection: 'what recurs waits to be judged',
}

/** With a person's prompt. `argOf`: what each skill is given. */
export function renderRequest(owed: readonly Owed[], argOf: (owed: Owed) => string): string {
  return owed
    .map(
      (each) =>
        `${markOf(each)}\nMemory Keeper: ${WHAT[each.step]}. First call the Skill tool once with skill "${SKILLS[each.step]}" and args "${argOf(each)}"; then answer the user's prompt as usual, without a word about this.`,
    )
    .join('\n\n')
}

/** At the end of a turn, numbered as steps. */
export function renderSteps(owed: readonly Owed[], argOf: (owed: Owed) => string): string {
  const steps = owed.map(
    (each, i) =>
      `STEP ${i + 1}: ${WHAT[each.step]}. Call the Skill tool with skill "${SKILLS[each.step]}" and args "${argOf(each)}".`,
  )
  return [
    `Memory Keeper: before this turn ends (${checklist(owed)}),`,
    ...steps,
    'Then stop; the user needs no word about it.',
  ].join('\n')
}

const LISTED: readonly (readonly [string, Step])[] = [
  ['facts', 'facts'],
  ['concepts', 'concepts'],
  ['reflection', 'reflection'],
  ['memory', 'note'],
]

/** What is done and what is not, in the order of the layers. */
function checklist(owed: readonly Owed[]): string {
  return LISTED.map(([name, step]) => `${name} ${owed.some((each) => each.step === step) ? '✗' : '✓'}`).join(', ')
}

function markOf({ step, subject }: Owed): string {
  if (step === 'note') return MARKS.note
  return step === 'summary' ? `${MARKS.summary} file=${subject}` : `${MARKS[step]} piece=${subject}`
}

/** Said once, to the user, before the first background call. */
export function renderModelNotice(saveInterval: number, callsPerDay: number): string {
  return [
    `Memory Keeper writes a note about your work, and the facts in it, after every ${saveInterval} tool uses and at the end of a session.`,
    `For that it runs short background calls of claude (Haiku, no tools): about 5,000 to 20,000 tokens each, often a cent or less, at most ${callsPerDay} a day.`,
    'To do it without a model, type: /memory-keeper:run config set summarizer extractive',
  ].join(' ')
}

/** What Claude saved by a command: the audit gets the entries around the command, and only its yes makes it told. */

import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { type Fact, isTold } from '../../../../src/core/knowledge/item.ts'
import { noteOutcome, reserveCall } from '../../../../src/core/model/disk/model-calls.ts'
import { writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { awaitingAudit, awaitingLine } from '../../../../src/core/notes/disk/unaudited.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { type Auditor, type Stage, stageIn } from '../../../support/claude.ts'
import { listed } from '../../../support/fact.ts'
import { memoryOf } from '../../../support/notes.ts'
import { runCommand } from '../../../support/process.ts'
import { append, fastDir, linesFor, now, quietProject, sessionId, storeOf } from '../../../support/project.ts'

const INSIDE = { CLAUDECODE: '1' }
const CLAIM = 'We never run tests.'

type Lines = ReturnType<typeof linesFor>

/** `line`: as it stands in the shell. */
const byClaude =
  (line: string) =>
  (lines: Lines): string =>
    lines.use(2_000, 'b1', 'Bash', { command: line }) + lines.result(3_000, 'b1', 'Saved.')
/** Claude Code runs such a line of the user with the same environment. */
const byTheUser =
  (line: string) =>
  (lines: Lines): string =>
    lines.prompt(2_000, `<bash-input>${line}</bash-input>`) +
    lines.prompt(3_000, '<bash-stdout>Saved.</bash-stdout><bash-stderr></bash-stderr>')
const lineOf = (command: string[]): string =>
  ['memory-keeper', ...command.map((word) => JSON.stringify(word))].join(' ')

/** The command is given in a session; the next minute that is captured. */
function saved(
  command: string[],
  auditor: Auditor = {},
  settings: object = {},
  given = byClaude(lineOf(command)),
): Stage {
  const project = quietProject({ summarizer: 'auto', ...settings }, fastDir())
  // The command takes the time of this machine.
  const from = Date.now() - 60_000
  const session = sessionId(1)
  const lines = linesFor(session, project.root, {}, from)
  append(
    project.transcriptOf(session),
    lines.prompt(0, 'Write the importer, and skip the tests of the old one.') +
      lines.answer(1_000, 'I write it without them.') +
      given(lines) +
      lines.answer(120_000, 'The importer is written.'),
  )
  captureSession(
    storeOf(project),
    { session, transcript: project.transcriptOf(session), host: 1 },
    { waitMs: 5000, now },
  )
  expect(runCommand(project, command, INSIDE).code).toBe(0)
  return stageIn(project, [{ note: 'Nothing.' }], auditor)
}

const asDecision = ['remember', `decision: ${CLAIM}`]
const factsOf = ({ store }: Stage): readonly Fact[] => listed(readFacts(store)).decisions
const notesOf = ({ project }: Stage): Note[] => notesIn(memoryOf(project)).filter(({ session }) => session === null)

describe('a fact that Claude saved by a command', () => {
  it('waits, and is told once the audit says yes, with the command as its place', async () => {
    const made = saved(asDecision)
    expect(factsOf(made).map((fact) => [fact.text, fact.by, isTold(fact)])).toEqual([[CLAIM, 'agent', false]])
    await writeNotes(made.store, made.around)
    const [audit] = made.claude.audits()

    expect(audit?.stdin).toContain(`(decision) ${CLAIM}`)
    expect(audit?.stdin).toContain('#0 [User]: Write the importer, and skip the tests of the old one.')
    // The command would prove its own words.
    expect(audit?.stdin).not.toContain('[Tool: Bash]')
    expect(audit?.stdin).not.toContain('quote:')
    expect(factsOf(made).map((fact) => [fact.text, isTold(fact), fact.session, fact.evidence.entry])).toEqual([
      [CLAIM, true, '00000001', 2],
    ])
  })

  it.each(['no', 'unclear'] as const)('is gone after the verdict %s', async (verdict) => {
    const made = saved(asDecision, { [verdict]: [CLAIM] })
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toHaveLength(1)
    expect(factsOf(made)).toEqual([])
  })

  it('whose command no session contains stays as it is, and no call is made for it', async () => {
    const made = saved(asDecision)
    runCommand(made.project, ['facts', 'add', 'pattern', 'Nobody said this in a session.'], INSIDE)
    await writeNotes(made.store, made.around)
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toHaveLength(1)
    expect(listed(readFacts(made.store)).patterns).toMatchObject([{ unaudited: true }])
    expect(awaitingAudit(made.store, now())).toMatchObject({ notes: 0, facts: 1, canCome: true })
  })

  it('is never audited once the user said it, too', async () => {
    const made = saved(asDecision, { no: [CLAIM] })
    runCommand(made.project, ['facts', 'add', 'decision', CLAIM])
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toEqual([])
    expect(factsOf(made).map((fact) => [fact.text, fact.by, isTold(fact)])).toEqual([[CLAIM, 'user', true]])
  })
})

describe('a command whose text the shell reads differently', () => {
  it.each([
    [`memory-keeper remember 'decision: We don'"'"'t run tests.'`, "decision: We don't run tests."],
    ["memory-keeper remember 'decision: We don'\\''t run tests.'", "decision: We don't run tests."],
    ['memory-keeper remember "decision: Say \\"no\\" to \\$HOME."', 'decision: Say "no" to $HOME.'],
    ['memory-keeper remember "decision: We deploy\nby hand."', 'decision: We deploy\nby hand.'],
  ])('is found: %s', async (line, text) => {
    const made = saved(['remember', text], {}, {}, byClaude(line))
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toHaveLength(1)
    expect(factsOf(made).map(isTold)).toEqual([true])
  })
})

describe('what the user saved with a shell line of his own in Claude Code', () => {
  it('is his fact, without an audit', async () => {
    const made = saved(asDecision, { no: [CLAIM] }, {}, byTheUser(lineOf(asDecision)))
    expect(factsOf(made)).toMatchObject([{ by: 'agent', unaudited: true }])
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toEqual([])
    expect(factsOf(made)).toMatchObject([{ text: CLAIM, by: 'user', evidence: { by: 'user', quote: CLAIM } }])
    expect(factsOf(made)[0]).not.toHaveProperty('unaudited')
  })

  it('is his note, without an audit', async () => {
    const asNote = ['remember', 'The importer is new. We never run tests.']
    const made = saved(asNote, { no: [CLAIM] }, {}, byTheUser(lineOf(asNote)))
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toEqual([])
    expect(notesOf(made).map(({ text, author, unaudited }) => [text, author, unaudited])).toEqual([
      [asNote[1], 'user', undefined],
    ])
  })

  it('is his also where no model may be called', async () => {
    const made = saved(asDecision, {}, { modelCallsPerDay: 0 }, byTheUser(lineOf(asDecision)))
    await writeNotes(made.store, made.around)

    expect(factsOf(made)).toMatchObject([{ by: 'user' }])
  })

  it.each(['Run memory-keeper remember "decision: We never run tests."', '! echo We never run tests.'])(
    'is not what he only writes: %s',
    async (words) => {
      const made = saved(asDecision, {}, {}, (lines) => lines.prompt(2_000, words))
      await writeNotes(made.store, made.around)

      expect(factsOf(made)).toMatchObject([{ by: 'agent', unaudited: true }])
    },
  )
})

describe('an item whose command is in no session', () => {
  const LATER = new Date(Date.now() + 2 * 60 * 60_000).toISOString()
  const toldBy = (made: Stage): string => runCommand(made.project, ['briefing']).out

  it('is counted apart, and told with the mark', async () => {
    const made = saved(asDecision, {}, {}, () => '')
    runCommand(made.project, ['remember', 'The importer is new.'], INSIDE)
    expect(toldBy(made)).not.toContain('(not audited)')
    await writeNotes(made.store, { ...made.around, now: () => LATER })

    const waiting = awaitingAudit(made.store, LATER) ?? expect.fail()
    expect(waiting).toMatchObject({ notes: 0, facts: 0, unplaced: 2 })
    expect(awaitingLine(waiting)).toBe('2 items cannot be audited: their command was not found')
    expect(toldBy(made)).toContain(`(Claude): (not audited) ${CLAIM}`)
    expect(toldBy(made)).toContain('(not audited) The importer is new.')
    expect(runCommand(made.project, ['show', 'd001']).out).toContain('its command was not found')
    // The next look changes nothing.
    const state = made.store.readState()
    await writeNotes(made.store, { ...made.around, now: () => LATER })
    expect(made.store.readState()).toEqual(state)
  })

  it('waits again once its session is captured', async () => {
    const made = saved(asDecision, { fails: { dies: 1 } }, {}, () => '')
    await writeNotes(made.store, { ...made.around, now: () => LATER })
    expect(toldBy(made)).toContain('(not audited)')
    const { project, store } = made
    const session = sessionId(2)
    append(
      project.transcriptOf(session),
      byClaude(lineOf(asDecision))(linesFor(session, project.root, {}, Date.now() - 60_000)),
    )
    captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 5000, now })
    await writeNotes(store, { ...made.around, now: () => LATER })

    expect(awaitingAudit(store, LATER)).toMatchObject({ facts: 1, unplaced: 0 })
    expect(toldBy(made)).not.toContain('(not audited)')
  })
})

describe('what a start tells of it', () => {
  const toldBy = (made: Stage): string => runCommand(made.project, ['briefing']).out

  it('is the same whatever the day has used', () => {
    const made = saved(asDecision, {}, { modelCallsPerDay: 1 })
    const before = toldBy(made)
    const call = { at: new Date().toISOString(), project: 'x', kind: 'note', estimatedTokens: 900 }
    reserveCall(made.project.keeper, call, { callsPerDay: 1, tokensPerDay: 1_000 })

    expect(awaitingAudit(made.store, call.at)).toMatchObject({ canCome: true, why: expect.stringContaining('cap') })
    expect(toldBy(made)).toBe(before)
    expect(before).not.toContain('(not audited)')
  })

  it('has the mark while nobody is logged in', () => {
    const made = saved(asDecision)
    noteOutcome(made.project.keeper, now(), { ok: false, why: 'login', message: '401' })
    expect(toldBy(made)).toContain(`(Claude): (not audited) ${CLAIM}`)

    noteOutcome(made.project.keeper, now(), { ok: true })
    expect(toldBy(made)).not.toContain(CLAIM)
  })
})

describe('a note that Claude saved by a command', () => {
  const asNote = ['remember', 'The importer is new. We never run tests.']

  it('keeps the sentences to which the audit says yes', async () => {
    const made = saved(asNote, { no: [CLAIM] })
    expect(notesOf(made)).toMatchObject([{ author: 'agent', unaudited: true }])
    await writeNotes(made.store, made.around)

    expect(notesOf(made).map(({ text, unaudited }) => [text, unaudited])).toEqual([['The importer is new.', undefined]])
  })

  it('is removed if none is left', async () => {
    const made = saved(asNote, { no: [CLAIM, 'The importer is new.'] })
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()).toHaveLength(1)
    expect(notesOf(made)).toEqual([])
  })
})

describe('what waits for an audit', () => {
  it('is counted, with the reason, by status, doctor and facts', () => {
    const made = saved(asDecision, {}, { summarizer: 'agent', modelCallsPerDay: 0 })
    runCommand(made.project, ['remember', 'The importer is new.'], INSIDE)
    const line = '1 note and 1 fact wait for an audit: modelCallsPerDay is 0'

    expect(awaitingLine(awaitingAudit(made.store, now()) ?? expect.fail())).toBe(line)
    for (const command of ['status', 'doctor', 'facts'])
      expect(runCommand(made.project, command === 'facts' ? ['facts', 'list'] : [command]).out).toContain(line)
  })

  it('is nothing in a memory without a model', () => {
    const project = quietProject({}, fastDir())

    expect(awaitingAudit(storeOf(project), now())).toBeNull()
    expect(runCommand(project, ['status']).out).not.toContain('audit')
  })
})

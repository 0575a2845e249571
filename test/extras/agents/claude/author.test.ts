import { describe, expect, it } from 'vitest'
import { authorOf, type Marks } from '../../../../src/extras/agents/claude/author.ts'
import type { Author } from '../../../../src/kernel/transcript/author.ts'
import { COMMAND_MODES, ORIGIN_KINDS, SUBKINDS, TURN_ORIGINS } from '../../../support/origins.ts'

const AUTHORS: Readonly<Record<(typeof ORIGIN_KINDS)[number], Author>> = {
  human: 'user',
  peer: 'teammate',
  channel: 'teammate',
  coordinator: 'teammate',
  observer: 'teammate',
  'slack-ping': 'teammate',
  'voice-call': 'teammate',
  plugin: 'unknown',
  unclassified: 'unknown',
  'task-notification': 'machine',
  'auto-continuation': 'machine',
  'observer-activity': 'machine',
}
/** Kinds that no host writes. */
const STRANGE = ['nobody-knows-yet', '', '__proto__', 'constructor', 'Human', 'human ']
const LINES: readonly Marks['on'][] = ['message', 'attachment', 'queue']
const MODES = [null, ...COMMAND_MODES, 'nobody-knows-yet']
const SOURCES = [null, 'typed', 'queued', 'suggestion_accepted', 'sdk', 'system', 'nobody-knows-yet']
const TURNS = [null, ...TURN_ORIGINS, 'nobody-knows-yet']
const ORIGINS = [undefined, ...ORIGIN_KINDS, ...STRANGE]

/** All marks that can stand on a line together. */
function* everyMark(): Generator<Marks> {
  for (const on of LINES)
    for (const origin of ORIGINS)
      for (const commandMode of MODES)
        for (const promptSource of SOURCES)
          for (const turnOrigin of TURNS)
            for (const flags of [0, 1, 2, 4])
              yield {
                ...{ on, origin, commandMode, promptSource, turnOrigin },
                ...{ isMeta: flags === 1, isScheduled: flags === 2, isNotTyped: flags === 4 },
              }
}

describe('the author of a line', () => {
  it.each(Object.entries(AUTHORS))('of the origin %j is %s', (origin, author) => {
    for (const on of LINES) expect(authorOf({ on, origin })).toBe(author)
  })

  it.each(STRANGE)('of the origin %j, which no host writes, is unknown', (origin) => {
    for (const on of LINES) expect(authorOf({ on, origin })).toBe('unknown')
  })

  it('is the user only by the origin human, or on a message without any mark', () => {
    const wrong: Marks[] = []
    for (const marks of everyMark()) {
      const { on, origin, commandMode, promptSource, turnOrigin, isMeta, isScheduled, isNotTyped } = marks
      const mayBeUser =
        !isMeta &&
        !isScheduled &&
        !isNotTyped &&
        (commandMode === 'prompt' ||
          commandMode === 'bash' ||
          (commandMode ?? null) === null ||
          origin === undefined) &&
        commandMode !== 'task-notification' &&
        promptSource !== 'system' &&
        [null, 'human', 'sdk', 'unknown'].includes(turnOrigin ?? null) &&
        (origin === 'human' || (origin === undefined && on === 'message'))
      if ((authorOf(marks) === 'user') !== mayBeUser) wrong.push(marks)
    }
    expect(wrong).toEqual([])
  })

  it('is another session or a chat where a notification carries their words', () => {
    const authors = [...SUBKINDS, 'nobody-knows-yet'].map((subkind) =>
      authorOf({ on: 'message', origin: 'task-notification', subkind, promptSource: 'system' }),
    )
    expect(authors).toEqual(['machine', 'teammate', 'teammate', 'teammate', 'machine'])
    for (const subkind of SUBKINDS) expect(authorOf({ on: 'message', origin: 'human', subkind })).toBe('user')
  })

  it('is nobody on queue and attachment lines without a mark', () => {
    expect(authorOf({ on: 'queue' })).toBe('unmarked')
    expect(authorOf({ on: 'attachment', commandMode: 'prompt' })).toBe('unmarked')
    expect(authorOf({ on: 'attachment', commandMode: 'task-notification' })).toBe('machine')
  })

  it('is the host on a meta line, unless the host names another sender', () => {
    expect(authorOf({ on: 'message', isMeta: true })).toBe('machine')
    expect(authorOf({ on: 'message', isMeta: true, origin: 'human' })).toBe('machine')
    expect(authorOf({ on: 'message', isMeta: true, origin: 'unclassified' })).toBe('machine')
    expect(authorOf({ on: 'message', isMeta: true, origin: 'peer' })).toBe('teammate')
  })
})

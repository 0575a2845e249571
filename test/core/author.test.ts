import { describe, expect, it } from 'vitest'
import { type Author, authorOf, type Marks } from '../../src/core/author.ts'

/** Every `origin.kind` in the strings of the pinned host (2.1.325), and two that no host knows. */
const KINDS: readonly [kind: string, author: Author][] = [
  ['human', 'user'],
  ['peer', 'teammate'],
  ['channel', 'teammate'],
  ['coordinator', 'teammate'],
  ['observer', 'teammate'],
  ['slack-ping', 'teammate'],
  ['voice-call', 'teammate'],
  ['plugin', 'unknown'],
  ['unclassified', 'unknown'],
  ['task-notification', 'machine'],
  ['scheduled-trigger', 'machine'],
  ['auto-continuation', 'machine'],
  ['observer-activity', 'machine'],
  ['nobody-knows-yet', 'unknown'],
  ['', 'unknown'],
  ['__proto__', 'unknown'],
  ['constructor', 'unknown'],
]
const LINES: readonly Marks['on'][] = ['message', 'attachment', 'queue']
const MODES = [null, 'prompt', 'bash', 'task-notification', 'nobody-knows-yet']
const SOURCES = [null, 'typed', 'queued', 'suggestion_accepted', 'sdk', 'system', 'nobody-knows-yet']

describe('the author of a line', () => {
  it.each(KINDS)('of the origin %j is %s', (origin, author) => {
    for (const on of LINES) expect(authorOf({ on, origin })).toBe(author)
  })

  it('is the user only by the origin human, or on a message without any mark', () => {
    for (const on of LINES)
      for (const origin of [undefined, ...KINDS.map(([kind]) => kind)])
        for (const isMeta of [false, true])
          for (const commandMode of MODES)
            for (const promptSource of SOURCES) {
              const mayBeUser =
                !isMeta &&
                commandMode !== 'task-notification' &&
                promptSource !== 'system' &&
                (origin === 'human' || (origin === undefined && on === 'message'))
              const author = authorOf({ on, origin, isMeta, commandMode, promptSource })
              expect(author === 'user', JSON.stringify({ on, origin, isMeta, commandMode, promptSource })).toBe(
                mayBeUser,
              )
            }
  })

  it('is the host where a schedule fired the line, whatever else it says', () => {
    for (const origin of [undefined, 'human'])
      expect(authorOf({ on: 'message', origin, isScheduled: true })).toBe('machine')
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

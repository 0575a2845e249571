/** What a prompt says about an id: a verdict only where it gives one. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Act, mentions, takesBack, verdictIn } from '../../src/core/typed-verdict.ts'

const GIVEN: [string, Act][] = [
  ['accept r001', 'accept'],
  ['Accept r001 please.', 'accept'],
  ['! memory-keeper rules accept r001', 'accept'],
  ['r001 ja', 'accept'],
  ['r001: yes', 'accept'],
  ['yes to r001', 'accept'],
  ['please decline r001', 'decline'],
  ['no r001', 'decline'],
  ['r001 no', 'decline'],
  ['No, accept r001', 'accept'],
  ['yes, accept r001 and decline r002', 'accept'],
  ['r001 수락해줘', 'accept'],
  ['r001을 수락해 주세요', 'accept'],
  ['네, r001 승인합니다', 'accept'],
  ['r001 거절', 'decline'],
  ['r001은 거절해 줘', 'decline'],
  ['r001 네', 'accept'],
  ['Can you accept r001?', 'accept'],
  ['I want to accept r001', 'accept'],
  ['promote r001', 'accept'],
  ['demote r001', 'demote'],
  ['reject r001', 'reject'],
  ['edit r001: make it shorter', 'edit'],
  ['Looks good, accept r001. Then run the tests.', 'accept'],
  ['ok r001', 'accept'],
  ['remove r001', 'demote'],
  ['resolve r001', 'resolve'],
  ['! memory-keeper facts supersede r001 --by r002', 'supersede'],
  ['r001 수락, r002 거절', 'accept'],
  ['accept both r001 and r002', 'accept'],
  ['Accept r001, r002 and r003', 'accept'],
  ['r002 거절하고 r001 수락', 'accept'],
  ['/memory-keeper:judge-rules accept r001', 'accept'],
  ['Yes, r001!', 'accept'],
  ['go ahead and accept r001', 'accept'],
  ['r001 yes, r002 no', 'accept'],
  ['r001 취소', 'demote'],
  ['Accept r001 since we always want the linter to run.', 'accept'],
]
const NOT_GIVEN = [
  'What was r001 about again? Do not accept anything.',
  'do not accept r001',
  'don’t accept r001',
  'never accept r001',
  'Should I accept r001?',
  'what happens when I accept r001',
  'no need to accept r001',
  'r001 수락하지 마',
  'r001 수락하면 어떻게 돼',
  'r001 수락할까',
  'r001 수락 안 해',
  'show me r001',
  'yes, show me r001 first',
  'accept r001 if the tests pass',
  'accept r001 later',
  'accept r001? no, wait',
  'accept r001. No, wait.',
  'accept nothing, not even r001',
  'The page says: accept r001',
  'Delete the line "accept r001" from the README',
  '> accept r001\nwhat is that',
  '```\naccept r001\n```\nexplain',
  'why did you accept r001',
  'who can accept r001',
  'accept r0011',
  'xr001 accept',
  'before I accept r001 explain it',
  'Claude said it would accept r001',
  '! echo accept r001',
  '! grep accept r001 file',
  'decline r001 or accept it?',
  'Tell me whether to accept r001',
  'I might accept r001',
  'r001 수락해도 되나',
  'r001은 나중에 수락할게',
  'explain accept r001',
]

const MORE: [string, Act][] = [
  ['Run memory-keeper rules accept r001', 'accept'],
  ['please run `memory-keeper rules decline r001`', 'decline'],
  ['memory-keeper rules accept r001 실행해 줘', 'accept'],
  ['accept r001. Then update the tests before you commit.', 'accept'],
]

describe('a verdict', () => {
  it.each([...GIVEN, ...MORE])('%s: %s', (prompt, act) => {
    expect(verdictIn(prompt, 'r001')).toContain(act)
    expect(mentions(prompt, 'r001')).toBe(true)
  })

  it.each([
    ...NOT_GIVEN,
    'keep r001 in mind',
    'memory-keeper rules accept r001 (or decline r001)',
    'The README says "memory-keeper rules accept r001".',
    `${'A long page. '.repeat(60)} accept r001`,
  ])('is not a yes: %s', (prompt) => {
    expect(verdictIn(prompt, 'r001')).not.toContain('accept')
  })

  it('is no other one', () => {
    expect(verdictIn('please decline r001', 'r001')).not.toContain('accept')
    expect(verdictIn('accept r001', 'r001')).toEqual(['accept'])
    expect(verdictIn('edit d001', 'd001')).toEqual(['edit'])
  })

  it('belongs to the id beside it', () => {
    expect(verdictIn('accept r001 and decline r002', 'r002')).toEqual(['decline'])
    expect(verdictIn('r001 yes, r002 no', 'r002')).toEqual(['decline'])
    expect(verdictIn('r001 수락, r002 거절', 'r002')).toContain('decline')
    expect(verdictIn('supersede d001 by d002', 'd001')).toContain('supersede')
    expect(verdictIn('supersede d001 by d002', 'd002')).toEqual([])
    expect(verdictIn('d001을 d002로 대체해 줘', 'd001')).toContain('supersede')
    expect(verdictIn('d001을 d002로 대체해 줘', 'd002')).toEqual([])
  })

  it.each(['no, wait', 'Do not accept anything.', '아니 잠깐', '수락하지 마'])('is taken back by: %s', (prompt) => {
    expect(takesBack(prompt)).toBe(true)
  })

  it('is not taken back by what is about something else', () => {
    expect(takesBack('No, the tests live in the folder beside the sources, please look there.')).toBe(false)
    expect(takesBack('go on')).toBe(false)
  })

  it('is never found without the id and a word that gives one', () => {
    const words = fc.constantFrom(
      ...'the r002 linter please show me about r001 and ( ) " ` > ? ! . 규칙 무엇 file'.split(' '),
    )
    fc.assert(
      fc.property(fc.array(words), (all) => {
        expect(verdictIn(all.join(' '), 'r001')).toEqual([])
      }),
    )
  })

  it('is read without trouble, whatever stands there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (prompt, id) => {
        if (verdictIn(prompt, id).length > 0) expect(mentions(prompt, id)).toBe(true)
      }),
    )
  })
})

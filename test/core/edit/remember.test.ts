/** What somebody wants remembered is kept as what it says, and its words stay. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toRemember } from '../../../src/core/edit/remember.ts'

describe('what is to be remembered', () => {
  it.each([
    ['decision: we use pnpm', 'decision', 'we use pnpm'],
    ['Decision:we use pnpm', 'decision', 'we use pnpm'],
    ['결정: 배포는 화요일에만 한다', 'decision', '배포는 화요일에만 한다'],
    ['issue: the import is slow', 'issue', 'the import is slow'],
    ['Bug: login fails with umlauts', 'issue', 'login fails with umlauts'],
    ['pattern: every query goes through src/db.ts', 'pattern', 'every query goes through src/db.ts'],
    ['note: always is a long time', 'note', 'always is a long time'],
    ['rule: run the tests first', 'rule', 'run the tests first'],
    ['규칙: 테스트를 먼저 돌린다', 'rule', '테스트를 먼저 돌린다'],
    ['문제: 로그인이 안 된다', 'issue', '로그인이 안 된다'],
    ['메모: 포트는 4317', 'note', '포트는 4317'],
    ['ルール：先にテストする', 'rule', '先にテストする'],
    ['決定：pnpm を使う', 'decision', 'pnpm を使う'],
    ['課題：インポートが遅い', 'issue', 'インポートが遅い'],
    ['メモ: ポートは 4317', 'note', 'ポートは 4317'],
    ['规则：先运行测试', 'rule', '先运行测试'],
    ['决定：使用 pnpm', 'decision', '使用 pnpm'],
    ['问题：导入很慢', 'issue', '导入很慢'],
    ['笔记：端口是 4317', 'note', '端口是 4317'],
  ])('%j is named by its first word', (given, kind, text) => {
    expect(toRemember(given)).toEqual({ kind, text })
  })

  it.each([
    'The port is 4317.',
    'Kim is on holiday until Monday',
    'decision',
    'decision:',
    'two\nlines, and we decided to keep both of them here',
    `We decided to keep it, because ${'it matters '.repeat(60)}`,
  ])('%j is a note', (text) => {
    expect(toRemember(text)).toEqual({ kind: 'note', text: text.trim() })
  })

  it('loses none of the words but the name of the kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        const { text } = toRemember(given)
        expect(given.trim().endsWith(text)).toBe(true)
        expect(given.trim().slice(0, given.trim().length - text.length)).toMatch(/^(?:[\p{L} ]+\s*[:：]\s*)?$/u)
      }),
    )
  })
})

/** What SQLite's full text search finds by itself: the usual baseline, in memory, on a Node that has it. */

import { STOP_WORDS } from '../../src/kernel/text/words.ts'
import { hasFts5, openDatabase } from './sqlite.ts'

export interface FtsBaseline {
  /** Numbers of texts, best first. */
  find(question: string, limit: number): number[]
}

export type FtsWay = 'and' | 'or' | 'or-without-stop-words'

/** Null: this Node has no FTS5. */
export function openFtsBaseline(texts: readonly string[], way: FtsWay): FtsBaseline | null {
  if (!hasFts5()) return null
  const db = openDatabase(':memory:')
  db.exec(`create virtual table said using fts5(text, tokenize='${way === 'and' ? 'unicode61' : 'porter unicode61'}')`)
  const insert = db.prepare('insert into said(rowid, text) values (?, ?)')
  db.exec('begin')
  texts.forEach((text, n) => {
    insert.run(n + 1, text)
  })
  db.exec('commit')
  const best = db.prepare('select rowid from said where said match ? order by rank limit ?')
  return {
    find: (question, limit) => {
      const words = (question.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase())
      const asked = way === 'or-without-stop-words' ? words.filter((word) => !STOP_WORDS.has(word)) : words
      if (asked.length === 0) return []
      const match = asked.map((word) => `"${word}"`).join(way === 'and' ? ' AND ' : ' OR ')
      return best.all(match, limit).map(({ rowid }) => Number(rowid) - 1)
    },
  }
}

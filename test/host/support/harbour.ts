/** What a user of a harbour's project decides and complains about, and the facts that an agent makes of it. */
import type { Draft } from '../../../src/core/knowledge/fact-draft.ts'

export const STORAGE = 'We decided to keep the tide tables in SQLite, because the harbour office has no server.'
export const IMPORTS = 'We decided to import the pier list every Monday instead of every night.'
export const DATES = "Let's use luxon for the dates, since moment is no longer maintained."
export const STUCK = 'The import of the pier list still stops with a timeout after 30 seconds.'
export const SOLVED = 'The pier import works again: the socket was never closed, and now it is closed after each row.'

export const storage: Draft = {
  type: 'decision',
  text: 'The tide tables are kept in SQLite.',
  reason: 'The harbour office has no server.',
  quote: 'keep the tide tables in SQLite, because the harbour office has no server',
  conceptName: 'tide tables',
}
export const imports: Draft = {
  type: 'decision',
  text: 'The pier list is imported every Monday instead of every night.',
  quote: 'import the pier list every Monday instead of every night',
  conceptName: 'pier list import',
}
export const dates: Draft = {
  type: 'decision',
  text: 'luxon is used for the dates, since moment is no longer maintained.',
  quote: DATES,
  conceptName: 'date library',
}
export const invented: Draft = { ...dates, quote: 'the user likes luxon best of all libraries' }
export const stuck: Draft = {
  type: 'issue',
  text: 'The import of the pier list stops with a timeout after 30 seconds.',
  quote: STUCK,
  status: 'open',
  conceptName: 'pier list import',
}
export const solved: Draft = {
  type: 'issue',
  text: 'The pier import works again.',
  quote: 'the socket was never closed, and now it is closed after each row',
  status: 'resolved',
  resolution: 'The socket is closed after each row.',
}

/** The kinds of files of what is known: facts, concepts, and the facts extracted from one session. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { CONCEPTS_FILE, FACTS_FILE } from '../../kernel/platform/layout.ts'
import { conceptUnits, factUnits } from './documents.ts'

export const KNOWLEDGE_FILES: readonly FileKind[] = [
  {
    name: 'facts',
    match: (path) => nameIn(path) === FACTS_FILE,
    at: '',
    units: factUnits,
  },
  {
    name: 'concepts',
    match: (path) => nameIn(path) === CONCEPTS_FILE,
    at: '',
    units: conceptUnits,
  },
]

/** Not searched. */
export const KNOWLEDGE_RECORDS: readonly FileKind[] = [
  {
    name: 'session-facts',
    title: 'the facts of a session',
    match: (path) => /^\d{8}_\d{6}_[0-9a-z]{8}\.l2\.json$/.test(nameIn(path)),
    at: 'sessions',
    arriving: 'ours',
  },
]

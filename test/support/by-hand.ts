/** A memory with something of everything that a person can change by hand. */

import type { Hand } from '../../src/core/edit/disk/by-hand.ts'
import { addConcept, formatConcepts, NO_CONCEPTS } from '../../src/core/knowledge/concept.ts'
import { formatItems } from '../../src/core/knowledge/facts-file.ts'
import type { Items } from '../../src/core/knowledge/items.ts'
import { addPermanent } from '../../src/core/knowledge/permanent.ts'
import { formatNote, type Note } from '../../src/kernel/memory/note.ts'
import { fact, factsWith, SAID } from './fact.ts'
import { makeProject, NOW, type TestProject } from './project.ts'
import { remember } from './remembered.ts'

export const HAND: Hand = { by: 'user', now: NOW }
export const AGENT: Hand = { by: 'agent', now: NOW }

const OWN = { session: null, from: 0, to: 0, author: 'user' } as const
export const NOTE: Note = { id: 'n-20260112_100000-abcdef', at: SAID, text: 'Mine.', ...OWN }
export const TOLD: Note = {
  ...NOTE,
  id: 'n-1a2b3c4d-0-3',
  session: '1a2b3c4d',
  to: 3,
  author: 'agent',
  text: 'They met.',
}

/** Facts, a proposal, an instruction, notes, lessons: something of everything that a hand can change. */
export function known(project = makeProject()): TestProject {
  const { concepts } = ['Money', 'Deployment', 'Speed'].reduce((made, name) => addConcept(made.concepts, name), {
    concepts: NO_CONCEPTS,
    id: '',
  })
  const judged = { by: 'user', at: SAID, why: null, other: null } as const
  const facts = factsWith(
    fact({ concept: 'c001' }),
    fact({ id: 'd002', text: 'We deploy on Tuesdays.', concept: 'c002' }),
    fact({ kind: 'issue', id: 'i003', text: 'The import is slow.' }),
    fact({ kind: 'issue', id: 'i004', text: 'The login fails.', status: 'resolved', resolution: 'a cookie' }),
    fact({ id: 'd005', text: 'Use tabs.', state: 'rejected', judged }),
    fact({ kind: 'pattern', id: 'p006', text: 'Queries go through one file.', pinned: true }),
  )
  const item = { kind: 'rules', at: SAID, by: 'code', concept: 'c002', usedAt: SAID } as const
  const rules = [
    { ...item, text: 'Ask before a push.', state: 'proposed', facts: ['d002'], evidence: [] },
    { ...item, text: 'Tests first.', state: 'active', facts: [], evidence: [] },
  ] as const
  const both = rules.reduce(
    (made: Items, rule) => addPermanent(made, { ...rule, facts: [...rule.facts], evidence: [] }).items,
    facts,
  )
  return remember(
    {
      files: {
        'facts.json': formatItems(both),
        'concepts.json': formatConcepts(concepts),
        'memory.md': `# Memory\n\n${formatNote(NOTE, 'UTC')}## By hand\n\nMy words.\n\n${formatNote(TOLD, 'UTC')}`,
        'rules.md': '- Be kind.\n- Be brief.\n',
        'lessons.md': '# Lessons\n\n## Mistakes\n\n- Look first.\n',
      },
    },
    project,
  )
}

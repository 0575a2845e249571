/** A password that a command prints: nothing of the memory holds it, and no later session is told it. */
import { expect } from 'vitest'
import { everythingBelow, homeDir, memoryDir, onlySession, told } from './support/memory.ts'
import { liveAtTerminal, nextBriefing } from './support/sessions.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'

/** Words of a person, nothing that looks random: only the command tells what they are. */
const PRINTED = ['sommerregen', 'blue harbour nine', 'mooring-42']

story('a password that a command of Claude printed is neither kept nor injected', {}, async (world) => {
  const [first = '', second = '', third = ''] = PRINTED
  world.write('bin/pass', `#!/bin/sh\necho '${first}'\n`)
  world.write('run/secrets/db_password', `${second}\n`)
  world.model.script([
    uses('Bash', { command: 'sh bin/pass show harbour/password' }),
    uses('Bash', { command: 'cat run/secrets/db_password' }),
    uses('Bash', { command: `DB_PASSWORD=$(echo ${third} | tr a-z a-z); echo $DB_PASSWORD` }),
    uses('Bash', { command: 'pwd' }),
  ])
  await liveAtTerminal(world, ['log in to the harbour database'], [says('I am logged in.')])
  const session = onlySession(world)

  expect(told(world, session).filter((line) => line.startsWith('Bash'))).toEqual([
    'Bash ok: sh bin/pass show harbour/password → [redacted:output]',
    'Bash ok: cat run/secrets/db_password → [redacted:output]',
    expect.stringMatching(/^Bash ok: DB_PASSWORD=.*→ \[redacted:output\]$/),
    `Bash ok: pwd → ${world.projectDir}`,
  ])
  const briefing = await nextBriefing(world)
  expect(briefing).toContain('log in to the harbour database')
  const kept = everythingBelow(memoryDir(world)) + everythingBelow(homeDir(world))
  for (const password of [first, second]) {
    expect(kept).not.toContain(password)
    expect(briefing).not.toContain(password)
  }
})

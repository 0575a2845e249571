import { it } from 'vitest'
import fs from 'node:fs'
import { quietProject, sessionId } from '../support/project.ts'
import { work, begin, finishHere, LATER } from '../support/world.ts'
it('home', async () => {
  const p = quietProject({ storage: 'home' })
  work(p, 0, 4)
  await finishHere(p, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
  console.log(fs.readdirSync(p.places.atHome, { recursive: true }))
  console.log(begin(p, sessionId(2)))
  await finishHere(p, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
  console.log(fs.readdirSync(p.places.atHome, { recursive: true }))
  console.log(begin(p, sessionId(3)))
})

/** What a person answers when the host asks whether a tool may run. */
import type { Terminal } from './terminal.ts'

/** Says no. With a comment the model goes on and reads it; without one the turn ends. */
export async function refuse(terminal: Terminal, comment?: string): Promise<void> {
  await terminal.waitFor(/❯ 1\. Yes/)
  for (let choice = 2; !/❯ \d\. No\b/.test(terminal.screen()); choice++) {
    await terminal.key('Down')
    await terminal.waitFor(new RegExp(`❯ ${choice}\\. `))
  }
  if (comment !== undefined) {
    await terminal.key('Tab')
    await terminal.type(comment)
  }
  await terminal.enter()
  await terminal.waitUntilIdle()
}

/** Approves a plan, with words of the person's own. */
export async function approvePlan(terminal: Terminal, comment: string): Promise<void> {
  await terminal.waitFor(/❯ 1\. Yes/)
  for (let choice = 2; choice <= 3; choice++) {
    await terminal.key('Down')
    await terminal.waitFor(new RegExp(`❯ ${choice}\\. `))
  }
  await terminal.type(comment)
  await terminal.waitFor(new RegExp(comment))
  await terminal.key('BTab')
  await terminal.waitUntilIdle()
}

/** Lets the tool run, this once. */
export async function allowOnce(terminal: Terminal): Promise<void> {
  await chooseFirst(terminal, /❯ 1\. Yes/)
}

/** Approves a plan so that a new session carries it out. The host offers this with `showClearContextOnPlanAccept` only. */
export async function clearAndCarryOut(terminal: Terminal): Promise<void> {
  await chooseFirst(terminal, /❯ 1\. Yes, clear context/)
}

/** A dialog that has just opened takes no Enter, so that nobody approves what they have not read: move there and back. */
async function chooseFirst(terminal: Terminal, first: RegExp): Promise<void> {
  await terminal.waitFor(first)
  await terminal.key('Down')
  await terminal.waitFor(/❯ 2\. /)
  await terminal.key('Up')
  await terminal.waitFor(first)
  await terminal.enter()
  await terminal.waitUntilIdle()
}

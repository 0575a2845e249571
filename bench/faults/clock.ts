/**
 * Another time for our programs, and what they cost. Node requires this before anything else: it moves the clock by
 * MEMORY_KEEPER_SHIFT_MS, and at the end appends one line to the file that MEMORY_KEEPER_COSTS names.
 */
export const SHIM = `
const fs = require('node:fs')
const shift = Number(process.env.MEMORY_KEEPER_SHIFT_MS || 0)
const costs = process.env.MEMORY_KEEPER_COSTS
const Real = Date
global.Date = class extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + shift)
    else super(...args)
  }
  static now() {
    return Real.now() + shift
  }
}
if (costs) process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  let read = 0
  try {
    read = Number(/^rchar: (\\d+)/m.exec(fs.readFileSync('/proc/self/io', 'utf8'))[1])
  } catch {}
  const line = { argv: process.argv.slice(1), cpuMs: (user + system) / 1000, read }
  fs.appendFileSync(costs, JSON.stringify(line) + '\\n')
})
`

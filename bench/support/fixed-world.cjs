/**
 * Node loads this file before every program of bench/same.ts. Clock, random numbers and file times come from SAME_NOW, so that
 * two runs write the same bytes. `performance.now` stays real: waiting for a lock needs it.
 */
const childProcess = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const { SAME_NOW = '', SAME_RUNNING = '', SAME_MARK } = process.env
const now = Date.parse(SAME_NOW)

globalThis.Date = class extends globalThis.Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now] : given))
  }
  static now() {
    return now
  }
}
/** No time limit of ours ever cuts work short. */
process.uptime = () => 0.05

let drawn = 0
const draw = (count) => {
  const hash = () => crypto.createHash('sha256').update(`${SAME_NOW} ${drawn++}`).digest()
  return Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, hash)).subarray(0, count)
}
const drawId = () =>
  draw(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const fill = (bytes) => Buffer.from(bytes.buffer).fill(draw(bytes.length)) && bytes
crypto.randomBytes = draw
Object.defineProperty(globalThis.crypto, 'randomUUID', { value: drawId })
Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: fill })

/** A file is as old as the clock of the program that wrote it: some files of ours contain the time of another one. */
const { openSync, closeSync, futimesSync } = fs
const written = new Set()
fs.openSync = (file, flags, mode) => {
  const fd = openSync(file, flags, mode)
  if (typeof flags === 'number' ? (flags & 3) !== 0 : flags !== 'r') written.add(fd)
  return fd
}
fs.closeSync = (fd) => {
  if (written.delete(fd)) futimesSync(fd, now / 1000, now / 1000)
  closeSync(fd)
}
/** Inode numbers of one length: they are part of the search index, whose size is printed. */
for (const name of ['statSync', 'lstatSync', 'fstatSync']) {
  const ask = fs[name]
  fs[name] = (...given) => {
    const stats = ask(...given)
    return typeof stats?.ino === 'number' ? Object.assign(stats, { ino: stats.ino + 1e12 }) : stats
  }
}

/** The finisher begins when the hook that started it has ended; its mark exists until it has ended, too. */
const { spawn } = childProcess
let started = 0
childProcess.spawn = (command, args, options) => {
  if (options?.detached !== true || options.stdio !== 'ignore') return spawn(command, args, options)
  const mark = path.join(SAME_RUNNING, `${process.pid}-${started++}`)
  fs.writeFileSync(mark, '')
  return spawn(command, args, { ...options, env: { ...options.env, SAME_MARK: mark } })
}
if (SAME_MARK !== undefined) {
  delete process.env.SAME_MARK
  process.once('exit', () => fs.rmSync(SAME_MARK))
  const pause = new Int32Array(new SharedArrayBuffer(4))
  while (process.ppid === Number.parseInt(path.basename(SAME_MARK), 10)) Atomics.wait(pause, 0, 0, 5)
}

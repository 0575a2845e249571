/**
 * Put before every program of the trace build: it keeps which function called which one first, in the order of their first calls, and writes it
 * into the directory MEMORY_KEEPER_WALK when the process ends. The programs of one process share it.
 */
globalThis.__walk ??= (() => {
  const own = (name) => process.getBuiltinModule(`node:${name}`)
  const { MEMORY_KEEPER_WALK: dir } = process.env
  const functions = new Map()
  const calls = new Map()
  const children = []
  let running = ''
  let loading = 0
  if (dir) {
    own('diagnostics_channel').subscribe('child_process', ({ process: child }) => children.push(child))
    process.on('exit', () => {
      const started = children.flatMap(({ pid, spawnargs }) =>
        pid !== undefined && spawnargs?.some((arg) => arg.startsWith(__dirname)) ? [pid] : [],
      )
      const found = { program: own('path').basename(process.argv[1]), args: process.argv.slice(2), started }
      const trace = { ...found, functions: [...functions.values()], calls: [...calls.values()] }
      const file = own('path').join(dir, `${process.pid}.json`)
      own('fs').writeFileSync(`${file}.new`, JSON.stringify(trace))
      own('fs').renameSync(`${file}.new`, file)
    })
  }
  return {
    enter(key) {
      const frame = { key, by: running }
      if (loading > 0) return frame
      const known = functions.get(key)
      if (known === undefined) functions.set(key, { key, by: running, count: 1 })
      else known.count++
      const call = `${running}\n${key}`
      if (!calls.has(call)) calls.set(call, [running, key])
      running = key
      return frame
    },
    leave(frame) {
      running = frame.by
    },
    /** What another function was given to call goes on where it was written. */
    back({ key }) {
      const frame = { key, by: running }
      if (loading === 0) running = key
      return frame
    },
    load(make) {
      loading++
      try {
        return make()
      } finally {
        loading--
      }
    },
    pause(frame, value) {
      running = frame.by
      return value
    },
    goOn(frame, value) {
      running = frame.key
      return value
    },
  }
})()

/** What a walk shows: the functions that ran, as a tree, and figures of files and slices. A function's key is `<file>#<name>`, the file relative to the root. */
import { sliceOf } from './layout.mjs'

/** Each function once, below the one that called it first, in the order of the first calls. */
export function treeOf(functions) {
  const below = new Map()
  for (const one of functions) below.set(one.by, [...(below.get(one.by) ?? []), one])
  const grow = (by) => (below.get(by) ?? []).map(({ key, count }) => ({ key, count, below: grow(key) }))
  return grow('')
}

/** The tree without these slices: what one of their functions calls elsewhere moves up to its place. `hidden` counts them where they were. */
export function withoutSlices(tree, slices) {
  const without = (nodes) => {
    const kept = []
    let hidden = 0
    for (const { key, count, below } of nodes) {
      const inside = without(below)
      const size = inside.kept.reduce((sum, one) => sum + one.size, 1 + inside.hidden)
      if (!slices.includes(sliceOf(splitKey(key)[0]).split('/').at(-1)))
        kept.push({ key, count, size, hidden: inside.hidden, below: inside.kept })
      else {
        kept.push(...inside.kept)
        hidden += 1 + inside.hidden
      }
    }
    return { kept, hidden }
  }
  return without(tree)
}

/** So many rows, spent where most happens: of the functions that are shown, the one with the most below it is opened next. */
export function rowsOf(tree, most) {
  const opened = new Set()
  const candidates = [...tree]
  let shown = tree.length
  while (shown < most && candidates.length > 0) {
    candidates.sort((a, b) => b.size - a.size)
    const next = candidates.shift()
    if (next.below.length === 0) continue
    opened.add(next)
    shown += next.below.length
    candidates.push(...next.below)
  }
  const rows = []
  const add = (nodes, depth) => {
    for (const node of nodes) {
      const isOpen = opened.has(node)
      const isLeaf = !isOpen
      rows.push({ key: node.key, count: node.count, depth, hidden: isOpen ? node.hidden : node.size - 1, isLeaf })
      if (isOpen) add(node.below, depth + 1)
    }
  }
  add(tree, 0)
  return rows
}

const NAMES_WIDTH = 72

/** The functions of a file that call nothing more stand in one line, and a file stands where it changes. */
export function renderTree(rows) {
  const lines = []
  for (const { key, count, depth, hidden, isLeaf } of rows) {
    const [file, name] = splitKey(key)
    const said = `${name}${count > 1 ? ` ×${count}` : ''}${hidden > 0 ? ` (+${hidden})` : ''}`
    const last = lines.at(-1)
    const joins = last?.isLeaf && isLeaf && last.depth === depth && last.file === file
    if (joins && last.text.length + said.length < NAMES_WIDTH - 2) last.text += `, ${said}`
    else lines.push({ file, depth, isLeaf, text: `${'  '.repeat(depth)}${said}` })
  }
  return lines.map(({ file, text }, n) =>
    file === lines[n - 1]?.file ? text : `${text.padEnd(NAMES_WIDTH)} ${file.replace(/^src\//, '')}`,
  )
}

function splitKey(key) {
  const at = key.indexOf('#')
  return [key.slice(0, at), key.slice(at + 1)]
}

/** Of all processes of an event. `switches`: calls from one slice to another, each pair of functions once. */
export function figuresOf(traces) {
  const files = new Map()
  const calls = new Set()
  for (const { functions, calls: made } of traces) {
    for (const { key } of functions) {
      const [file] = splitKey(key)
      files.set(file, (files.get(file) ?? new Set()).add(key))
    }
    for (const [from, to] of made) if (from !== '') calls.add(`${from}\n${to}`)
  }
  const slices = new Map()
  for (const [file, keys] of files) {
    const slice = sliceOf(file)
    const { files: n = 0, functions = 0 } = slices.get(slice) ?? {}
    slices.set(slice, { files: n + 1, functions: functions + keys.size })
  }
  const sliceOfKey = (key) => sliceOf(splitKey(key)[0])
  const switches = [...calls].filter((call) => new Set(call.split('\n').map(sliceOfKey)).size > 1).length
  const functions = [...files.values()].reduce((sum, keys) => sum + keys.size, 0)
  return { files: [...files.keys()].toSorted(), functions, calls: calls.size, switches, slices }
}

export function renderFigures({ files, functions, calls, switches, slices }) {
  const rows = [...slices].toSorted((a, b) => b[1].files - a[1].files || (a[0] < b[0] ? -1 : 1))
  const widest = Math.max(...rows.map(([slice]) => slice.length), 5)
  return [
    `${files.length} files, ${functions} functions, ${switches} switches between slices (of ${calls} calls from one function to another)`,
    '',
    `${'slice'.padEnd(widest)}  files  functions`,
    ...rows.map(
      ([slice, { files: n, functions: m }]) =>
        `${slice.padEnd(widest)}  ${String(n).padStart(5)}  ${String(m).padStart(9)}`,
    ),
  ]
}

/** The functions of a source file by their names, and the file with a call at the beginning of each of them. */
import { bodyOf, isFunction, lineAt, parse, visit, wrap } from './syntax.mjs'

/**
 * In the order of the source. One without a name that is passed on inside another one (`map((x) => …)`) belongs to that one;
 * at the top of a file it has the name of what it is written into.
 */
export function functionsOf(code, file) {
  const found = []
  visit(parse(code, file), (node, parents) => {
    if (!isFunction(node)) return
    const name = nameOf(node, parents)
    const within = parents.findLast(isFunction)
    if (name === null && within !== undefined) return
    const { start, end } = node
    found.push({ name: name ?? nearestName(parents), line: lineAt(code, start), start, end, node })
  })
  return found
}

/** Null: it has none. */
function nameOf(node, parents) {
  const parent = parents.at(-1)
  if (node.id) return node.id.name
  switch (parent?.type) {
    case 'VariableDeclarator':
      return parent.init === node && parent.id.type === 'Identifier' ? parent.id.name : null
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === node ? keyOf(parent) : null
    case 'AssignmentExpression':
      return parent.left.type === 'Identifier' ? parent.left.name : (parent.left.property?.name ?? null)
    default:
      return null
  }
}

function keyOf({ key, computed }) {
  return computed ? '[…]' : (key.name ?? String(key.value))
}

function nearestName(parents) {
  for (const parent of parents.toReversed()) {
    if (parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
    if (parent.type === 'Property') return keyOf(parent)
  }
  return '(top of the file)'
}

/** Calls `enter(n)` where the n-th function begins. */
export function withEntries(code, file, enter) {
  const parts = functionsOf(code, file).map(({ node }, n) => {
    const { isBlock, from, to } = bodyOf(code, node)
    return isBlock
      ? { from, to, before: ` ${enter(n)};`, after: '' }
      : { from, to, before: ` (${enter(n)},(`, after: '))' }
  })
  return wrap(code, parts)
}

/**
 * The trace build's form. `__walk` is told when a function begins and ends, and when an async function or a generator goes on, so that it always
 * knows which one runs. What a function passes on to others (`tryTo(() => …)`) runs as a part of it, wherever it is called. Constants are made
 * when a file is loaded: nothing of that is told. `isProgram`: what it does when it is loaded is its work.
 */
export function withTrace(code, file, { keyOf, isProgram }) {
  const functions = new Map(functionsOf(code, file).map((one) => [one.start, one]))
  const parts = []
  visit(parse(code, file), (node, parents) => {
    const found = isFunction(node) ? functions.get(node.start) : undefined
    const isTraced = parents.some(
      (parent) => isFunction(parent) && functions.has(parent.start) && isIn(code, parent, node),
    )
    if (found !== undefined) parts.push(around(code, node, `__walk.enter(${JSON.stringify(keyOf(found))})`, '$walk'))
    else if (isFunction(node) && isTraced && isPassedOn(node, parents))
      parts.push(around(code, node, '__walk.back($walk)', '$back'))
    else if (isTraced) parts.push(...pauses(node))
    else if (isMadeAtLoad(node, parents) && !isProgram) parts.push(wrapped(node.init, '__walk.load(()=>(', '))'))
  })
  return wrap(code, parts)
}

/** What is returned instead, runs as a part of whoever calls it. */
function isPassedOn(node, parents) {
  return parents.at(-1)?.arguments?.includes(node) === true
}

/** In its body, not among its parameters. */
function isIn(code, outer, { start }) {
  const { from, to } = bodyOf(code, outer)
  return start >= from && start < to
}

function isMadeAtLoad({ type, init }, parents) {
  return type === 'VariableDeclarator' && init !== null && !isFunction(init) && !parents.some(isFunction)
}

function around(code, node, begins, name) {
  const { isBlock, from, to } = bodyOf(code, node)
  const before = `const ${name}=${begins};try{`
  const after = `}finally{__walk.leave(${name})}`
  return isBlock ? { from, to, before, after } : { from, to, before: `{${before}return (`, after: `)${after}}` }
}

function pauses(node) {
  const isYield = node.type === 'YieldExpression' && !node.delegate
  if (!isYield && node.type !== 'AwaitExpression') return []
  const goesOn = wrapped(node, '__walk.goOn($walk,', ')')
  return isYield && node.argument !== null ? [goesOn, wrapped(node.argument, '__walk.pause($walk,', ')')] : [goesOn]
}

function wrapped({ start, end }, before, after) {
  return { from: start, to: end, before, after }
}

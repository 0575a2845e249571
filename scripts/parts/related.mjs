/** Which tests are about changed files: found by names and imports, nearest first. */
import { basename, posix } from 'node:path'
import { isUnitTest, sliceOf } from './layout.mjs'

const IMPORTS = /(?:^(?:import|export)\b[^'"]*?from\s+|^import\s+|\bimport\()'(\.[^']+)'/gm
/** Documents and the plugin's own files are checked by tests of the whole. */
const WHOLE = [
  [/^(?:docs\/|[\w-]+\.md$)/, 'test/docs.test.ts'],
  [/^plugin\/(?!dist\/)/, 'test/plugin.test.ts'],
  [/^src\//, 'test/architecture.test.ts'],
]

/** `texts`: path → text, of sources, tests and scripts. Returns file → the files that import it. */
export function importersOf(texts) {
  const importers = new Map()
  for (const [file, text] of texts) {
    for (const [, target] of text.matchAll(IMPORTS)) {
      const imported = posix.join(posix.dirname(file), target)
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }
  return importers
}

/**
 * Changed tests themselves; tests that import a changed file; and of the file's own slice all that reach it. A test of the same name comes first,
 * then the nearest, then the quickest (`took`: test → ms, of earlier runs).
 */
export function relatedTests(changed, importers, took = new Map()) {
  const found = new Map()
  const keep = (test, distance) => {
    if (isUnitTest(test)) found.set(test, Math.min(distance, found.get(test) ?? distance))
  }
  for (const file of changed) {
    for (const [pattern, test] of WHOLE) if (pattern.test(file)) keep(test, 2)
    const slice = sliceOf(file)
    for (const [reached, distance] of distancesFrom(file, importers)) {
      const isOwn = slice !== '' && sliceOf(reached) === slice
      const isNamesake = isOwn && basename(reached, '.test.ts') === basename(file, '.ts')
      if (isNamesake) keep(reached, 0.5)
      else if (isOwn || distance < 2) keep(reached, distance)
    }
  }
  const ms = (test) => took.get(test) ?? 1_000
  return [...found].toSorted((a, b) => a[1] - b[1] || ms(a[0]) - ms(b[0])).map(([test]) => test)
}

function distancesFrom(file, importers) {
  const distances = new Map([[file, 0]])
  for (const [one, distance] of distances) {
    for (const next of importers.get(one) ?? []) if (!distances.has(next)) distances.set(next, distance + 1)
  }
  return distances
}

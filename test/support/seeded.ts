/** fast-check with the same cases in every run: what is green stays green. `SEED=random npm test` tries others, `SEED=123` those again. */
import fc from '../../node_modules/fast-check/lib/fast-check.js'

const { SEED = '20261116' } = process.env
if (SEED !== 'random') fc.configureGlobal({ seed: Number(SEED) })

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/** The unit 'binary' of fast-check, case by case, without its table of all code points: that takes a second in every process. */
const anyCodePoint = fc.nat(0x10ffff - SURROGATES).map(
  (n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES),
  (letter) => indexOf(letter),
)

function indexOf(letter: unknown): number {
  const point = typeof letter === 'string' ? letter.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== letter) throw new Error('not one code point')
  if (point < FIRST_SURROGATE) return point
  if (point < FIRST_SURROGATE + SURROGATES) throw new Error('half of a code point')
  return point - SURROGATES
}

export function string(constraints: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string(constraints.unit === 'binary' ? { ...constraints, unit: anyCodePoint } : constraints)
}

export * from '../../node_modules/fast-check/lib/fast-check.js'
export default { ...fc, string }

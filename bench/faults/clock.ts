/** Another time for our programs: required by node before anything else, it moves their clock by MEMORY_KEEPER_SHIFT_MS. */
export const SHIFT_CLOCK = `
const shift = Number(process.env.MEMORY_KEEPER_SHIFT_MS || 0)
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
`

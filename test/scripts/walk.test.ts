/** The trace of an event: what is put into the sources, and what is shown of what ran. */
import { describe, expect, it } from 'vitest'
import { functionsOf, withEntries, withTrace } from '../../scripts/parts/functions.mjs'
import { figuresOf, type Ran, renderTree, rowsOf, treeOf, withoutSlices } from '../../scripts/parts/trace.mjs'

const trace = (code: string, isProgram = false): string =>
  withTrace(code, 'a.ts', { keyOf: ({ name }) => name, isProgram })

/** What a piece of code calls, as the trace records it. */
function record(code: string): string[] {
  const told: string[] = []
  let running = ''
  const walk = {
    enter: (key: string) => {
      told.push(`${running}>${key}`)
      return walk.back({ key })
    },
    back: ({ key }: { key: string }) => {
      const frame = { key, by: running }
      running = key
      return frame
    },
    leave: ({ by }: { by: string }) => {
      running = by
    },
  }
  new Function('__walk', trace(code, true))(walk)
  return told
}

describe('the functions of a file', () => {
  it('have the name that they are declared, assigned or written under', () => {
    const code = `
      export function one(): void {}
      const two = (x: number) => x
      const table = { three: () => [1].map((x) => x), four() {} }
      const made = once(() => 5)
      class A { five() {} }`

    expect(functionsOf(code, 'a.ts').map(({ name, line }) => [name, line])).toEqual([
      ['one', 2],
      ['two', 3],
      ['three', 4],
      ['four', 4],
      ['made', 5],
      ['five', 6],
    ])
  })

  it('are entered where their body begins, whatever form it has', () => {
    expect(withEntries('const a = (x) => ({ x })\nfunction b() { return 1 }', 'a.ts', (n) => `hit(${n})`)).toBe(
      'const a = (x) => (hit(0),( ({ x })))\nfunction b() { hit(1); return 1 }',
    )
  })
})

describe('the trace build', () => {
  it('knows who calls whom; what is passed on belongs to the function it is written in', () => {
    const code = `
      function outer() { each(() => inner()) }
      function each(work) { work() }
      const inner = () => ({ made: deep() })
      function deep() {}
      outer()`

    expect(record(code)).toEqual(['>outer', 'outer>each', 'outer>inner', 'inner>deep'])
  })

  it('goes on behind an await and a yield', () => {
    expect(trace('async function a() { return (await b()) + 1 }')).toContain('(__walk.goOn($walk,await b())) + 1')
    expect(trace('function* a() { yield 1 }')).toContain('__walk.goOn($walk,yield __walk.pause($walk,1))')
  })

  it('tells nothing of constants that are made when a file is loaded, unless it is a program', () => {
    expect(trace("const a = of('b')")).toBe("const a = __walk.load(()=>(of('b')))")
    expect(trace("const a = of('b')", true)).toBe("const a = of('b')")
  })
})

const ran = (by: string, key: string, count = 1): Ran => ({ by, key, count })
const HOOK = 'src/doors/hooks/run.ts#run'
const FILES = 'src/kernel/platform/disk/files.ts#tryTo'
const CAPTURE = 'src/kernel/sessions/capture.ts'
const FUNCTIONS = [
  ran('', HOOK),
  ran(HOOK, FILES, 4),
  ran(FILES, `${CAPTURE}#capture`, 2),
  ran(`${CAPTURE}#capture`, `${CAPTURE}#read`),
  ran(`${CAPTURE}#capture`, `${CAPTURE}#write`, 3),
]

describe('a walk', () => {
  const show = (most: number, without: string[] = []): string[] =>
    renderTree(rowsOf(withoutSlices(treeOf(FUNCTIONS), without).kept, most)).map((line) =>
      line.replace(/ {2,}(?=\S*$)/, '  '),
    )

  it('shows a function below its first caller, and functions of a file that call nothing more in one line', () => {
    expect(show(9)).toEqual([
      'run  doors/hooks/run.ts',
      '  tryTo ×4  kernel/platform/disk/files.ts',
      '    capture ×2  kernel/sessions/capture.ts',
      '      read, write ×3',
    ])
  })

  it('counts what it has no room for, and what belongs to slices that are left out', () => {
    expect(show(2)).toEqual(['run  doors/hooks/run.ts', '  tryTo ×4 (+3)  kernel/platform/disk/files.ts'])
    expect(show(9, ['platform'])).toEqual([
      'run (+1)  doors/hooks/run.ts',
      '  capture ×2  kernel/sessions/capture.ts',
      '    read, write ×3',
    ])
  })

  it('counts files, functions and switches over all processes, each once', () => {
    const calls: [string, string][] = FUNCTIONS.map(({ by, key }) => [by, key])
    const { files, functions, switches, slices } = figuresOf([
      { functions: FUNCTIONS, calls },
      { functions: FUNCTIONS.slice(0, 1), calls: [] },
    ])

    expect({ files: files.length, functions, switches }).toEqual({ files: 3, functions: 5, switches: 2 })
    expect(slices.get('kernel/sessions')).toEqual({ files: 1, functions: 3 })
  })
})

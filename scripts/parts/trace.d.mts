export interface Ran {
  key: string
  by: string
  count: number
}
export interface Tree {
  key: string
  count: number
  below: Tree[]
}
export interface Sized {
  key: string
  count: number
  size: number
  hidden: number
  below: Sized[]
}
export interface Row {
  key: string
  count: number
  depth: number
  hidden: number
  isLeaf: boolean
}
export interface Figures {
  files: string[]
  functions: number
  calls: number
  switches: number
  slices: Map<string, { files: number; functions: number }>
}
export function treeOf(functions: readonly Ran[]): Tree[]
export function withoutSlices(tree: readonly Tree[], slices: readonly string[]): { kept: Sized[]; hidden: number }
export function rowsOf(tree: readonly Sized[], most: number): Row[]
export function renderTree(rows: readonly Row[]): string[]
export function figuresOf(traces: readonly { functions: readonly Ran[]; calls: readonly [string, string][] }[]): Figures
export function renderFigures(figures: Figures): string[]

export function sliceOf(file: string): string
export function findSlice(root: string, top: 'src' | 'test', slice: string): string | null
export function coreTests(root: string): string[]
export function isUnitTest(file: string): boolean

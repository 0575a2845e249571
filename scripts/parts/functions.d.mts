export interface Found {
  name: string
  line: number
  start: number
  end: number
}
export function functionsOf(code: string, file: string): Found[]
export function withEntries(code: string, file: string, enter: (n: number) => string): string
export function withTrace(
  code: string,
  file: string,
  options: { keyOf: (found: Found) => string; isProgram: boolean },
): string

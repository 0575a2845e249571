export interface Part {
  from: number
  to: number
  before: string
  after: string
}
export function wrap(code: string, parts: readonly Part[]): string

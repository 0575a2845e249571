/** The one error that is meant for a person: says what is wrong and what to do next. */

export class KeeperError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'KeeperError'
    this.code = code
  }
}

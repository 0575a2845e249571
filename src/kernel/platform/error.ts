/** The one error class for messages to a person: the message states the problem and the next step. */

export class KeeperError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'KeeperError'
    this.code = code
  }
}

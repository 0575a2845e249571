/**
 * The watch over the login: a server may ask for SCRAM-SHA-256, or for no password. All bytes are checked before the client gets them,
 * also after the login: the client would answer a request for the password at any time.
 */

/** Messages of this type ask for the password, or say that the login is done. */
const AUTHENTICATION = 'R'.charCodeAt(0)
const DONE = 0
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12
/** The limit of such a message. */
const MOST_BYTES = 8 * 1024
/** How often the password is hashed. Fewer rounds make guessing cheap (RFC 7677, PostgreSQL's default); more would block this process for seconds. */
const LEAST_ROUNDS = 4_096
const MOST_ROUNDS = 1_000_000
/** Which message may follow which. Nothing may follow `DONE`. */
const NEXT: Readonly<Record<number, readonly number[]>> = {
  [-1]: [DONE, SASL],
  [SASL]: [SASL_CONTINUE],
  [SASL_CONTINUE]: [SASL_FINAL],
  // The client checks this message: only a server that knows the password can send it.
  [SASL_FINAL]: [DONE],
}

/** A function that checks bytes as they arrive. False: the client must not get them, and the connection must end. */
export function watchLogin(): (bytes: Buffer) => boolean {
  let last = -1
  let started = Buffer.alloc(0)
  /** Bytes still to come of a message of another type. */
  let left = 0
  const isAllowed = (content: Buffer): boolean => {
    const type = content.length < 4 ? Number.NaN : content.readUInt32BE(0)
    const isNext = NEXT[last]?.includes(type) === true
    last = type
    return isNext && (type !== SASL_CONTINUE || areRoundsSound(content.toString('latin1', 4)))
  }
  return (bytes) => {
    const passed = Math.min(left, bytes.length)
    left -= passed
    let rest = Buffer.concat([started, bytes.subarray(passed)])
    while (rest.length > 4) {
      const size = rest.readUInt32BE(1) + 1
      if (rest[0] === AUTHENTICATION) {
        if (size > MOST_BYTES) return false
        if (size > rest.length) break
        if (!isAllowed(rest.subarray(5, size))) return false
      }
      left = Math.max(0, size - rest.length)
      rest = rest.subarray(size)
    }
    started = rest
    return true
  }
}

function areRoundsSound(said: string): boolean {
  const fields = said.split(',').filter((field) => field.startsWith('i='))
  const rounds = Number(fields[0]?.slice(2))
  return fields.length === 1 && rounds >= LEAST_ROUNDS && rounds <= MOST_ROUNDS
}

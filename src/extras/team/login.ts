/**
 * What a server may ask while we log in: SCRAM-SHA-256, or nothing at all. Everything that it says is looked at before the client sees it,
 * also later: a client answers a question about the password whenever it comes.
 */

/** Messages of this kind ask for the password, or say that the login is done. */
const AUTHENTICATION = 'R'.charCodeAt(0)
const DONE = 0
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12
/** No such message is larger. */
const MOST_BYTES = 8 * 1024
/** How often a password is hashed. Less is cheap to guess from (RFC 7677, PostgreSQL's own default); more takes us seconds, in which nothing else happens. */
const LEAST_ROUNDS = 4_096
const MOST_ROUNDS = 1_000_000
/** What may follow what. Behind `DONE` nothing may. */
const NEXT: Readonly<Record<number, readonly number[]>> = {
  [-1]: [DONE, SASL],
  [SASL]: [SASL_CONTINUE],
  [SASL_CONTINUE]: [SASL_FINAL],
  // Only who knows the password can say this: the client compares it.
  [SASL_FINAL]: [DONE],
}

/** False: what came must not reach the client, and the connection is to end. */
export function watchLogin(): (bytes: Buffer) => boolean {
  let last = -1
  let started = Buffer.alloc(0)
  /** Bytes of a message of another kind that are still to come. */
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

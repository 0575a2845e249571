/** The hook's side of asking the running server: proof, question, answer, all within a fixed time. */
import { type Answer, isProof, newSecret, proofOf, type Question, type ServerRecord, takeMessages } from './wire.ts'

interface Asked {
  /** Without an answer by then, the hook does the work itself. */
  withinMs: number
  /** Prints the answer; returns how long the user waited, in milliseconds. */
  print(answer: Answer): number
  /** No server, no proof, or no answer in time. */
  otherwise(): void
}

/** Calls exactly one of the two, once. */
export function askServers(
  servers: readonly ServerRecord[],
  question: Question,
  { withinMs, print, otherwise }: Asked,
): void {
  let isSettled = false
  let hangUp = (): void => undefined
  const settle = (end: () => void): void => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    end()
  }
  const giveUp = (): void => {
    // The host waits until this process ends, and an open connection would keep it.
    hangUp()
    otherwise()
  }
  const timer = setTimeout(() => settle(giveUp), withinMs)
  const tryNext = (at: number): void => {
    const server = servers[at]
    if (isSettled) return
    if (server === undefined) return settle(otherwise)
    hangUp = askOne(server, question, {
      isOver: () => isSettled,
      fail: () => tryNext(at + 1),
      answer: (answer, hear) => settle(() => hear(print(answer))),
    })
  }
  tryNext(0)
}

interface Asking {
  isOver(): boolean
  fail(): void
  answer(answer: Answer, hear: (ms: number) => void): void
}

/** Returns a function that ends the connection. */
function askOne(server: ServerRecord, question: Question, { isOver, fail, answer }: Asking): () => void {
  const nonce = newSecret()
  const socket = process.getBuiltinModule('node:net').connect(server.address)
  let isProven = false
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    socket.destroy()
    if (!isOver()) fail()
  }
  const send = (message: object): boolean => socket.write(`${JSON.stringify(message)}\n`)
  takeMessages(socket, (message) => {
    if (isOver() || message === null) return close()
    if (!isProven) {
      if (typeof message.nonce !== 'string') return close()
      const nonces = [nonce, message.nonce]
      isProven = isProof(message.proof, proofOf(server, 'server', nonces))
      return isProven ? void send({ proof: proofOf(server, 'hook', nonces), question }) : close()
    }
    if (typeof message.out !== 'string' || !Array.isArray(message.jobs)) return close()
    answer(message as unknown as Answer, (ms) => {
      isClosed = true
      socket.end(`${JSON.stringify({ heard: ms })}\n`, () => socket.destroy())
    })
  })
  socket.on('error', close).on('close', close)
  send({ nonce })
  return close
}

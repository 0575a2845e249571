/** Faults of the team's server, each as one sentence for `team status`. */
import { KeeperError } from '../../kernel/platform/error.ts'
import { shown } from '../../kernel/text/shorten.ts'

export type Fault =
  | 'unsafe'
  | 'away'
  | 'refused'
  | 'newer'
  | 'older'
  | 'removed'
  | 'full'
  | 'slow'
  | 'untrusted'
  | 'failed'

/** Faults by SQLSTATE, and by codes of the client. */
const CODES: Readonly<Partial<Record<Fault, readonly string[]>>> = {
  refused: ['28P01', '28000'],
  removed: ['42501'],
  older: ['3F000', '42P01'],
  full: ['53100'],
  slow: ['57014', 'CONNECT_TIMEOUT'],
  away: ['57P01', '57P02', '57P03'],
}

const SENTENCES: Readonly<Record<Fault, string>> = {
  away: 'The server cannot be reached.',
  refused:
    'The server refuses this user or password. Check PGPASSWORD, ~/.pgpass or join again: memory-keeper team join.',
  newer: 'The server has a newer schema than this version knows. Update the plugin: claude plugin update.',
  older: 'The server has no tables of this version. The administrator runs: memory-keeper team init.',
  removed: 'You are not a member on this server. The administrator adds you: memory-keeper team init --add.',
  full: "The server's disk is full.",
  unsafe:
    "The login was broken off, because it is not safe: only SCRAM-SHA-256 is, with a server that knows the password itself. The administrator sets password_encryption = 'scram-sha-256' and gives you a new password: \\password NAME in psql.",
  untrusted: "The server's certificate is not trusted here. Name your authority in the address: ?sslrootcert=FILE.",
  slow: 'The server did not answer in time.',
  failed: 'The server reports an error.',
}

const MOST_DETAIL = 300

/** The fault of an error. `code`: a SQLSTATE, or a code of the client or the system. */
export function faultOf(code: string): Fault {
  for (const [fault, codes] of Object.entries(CODES)) if (codes.includes(code)) return fault as Fault
  if (/CERT|SIGNATURE|ERR_TLS/.test(code)) return 'untrusted'
  return /^(?:E[A-Z]+|CONNECTION_\w+|08\w{3})$/.test(code) ? 'away' : 'failed'
}

export function sentenceOf(fault: Fault, detail = ''): string {
  // The server's own message: one short line, without control characters.
  const detailLine = shown(detail.slice(0, MOST_DETAIL)).replace(/\s+/g, ' ')
  return fault === 'failed' && detail !== '' ? `${SENTENCES.failed.slice(0, -1)}: ${detailLine}` : SENTENCES[fault]
}

export class TeamError extends KeeperError {
  readonly fault: Fault

  constructor(fault: Fault, detail = '', cause?: unknown) {
    super(`team-${fault}`, sentenceOf(fault, detail), { cause })
    this.fault = fault
  }
}

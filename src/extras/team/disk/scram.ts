/** A password as PostgreSQL stores it (RFC 5803): the server, its log and its backups never see the password itself, whatever `password_encryption` says. */
import crypto from 'node:crypto'

const ROUNDS = 4_096

/** For ASCII passwords only: others would need the preparation of RFC 4013. */
export function storedForm(password: string): string {
  const salt = crypto.randomBytes(16)
  const salted = crypto.pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256')
  const keyed = (key: Buffer, text: string): Buffer => crypto.createHmac('sha256', key).update(text).digest()
  const stored = crypto.createHash('sha256').update(keyed(salted, 'Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyed(salted, 'Server Key').toString('base64')}`
}

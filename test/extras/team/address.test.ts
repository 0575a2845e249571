/** Addresses of servers, when TLS is required, and passwords from the usual places. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAddress, passwordIn, shownAddress, urlFor } from '../../../src/extras/team/address.ts'
import { connectionOf } from '../../../src/extras/team/disk/home.ts'
import { faultOf } from '../../../src/extras/team/fault.ts'
import { tempDir } from '../../support/project.ts'

describe('an address', () => {
  it('is read with all its parts', () => {
    expect(parseAddress('postgres://al%40ice:p%3Aw@db.example.com:6543/team')).toEqual({
      host: 'db.example.com',
      port: 6543,
      database: 'team',
      user: 'al@ice',
      password: 'p:w',
      tls: { verify: true, rootCert: null },
    })
    expect(shownAddress('postgresql://alice:secret@db.example.com/team')).toBe('alice@db.example.com/team')
    expect(urlFor('postgres://admin:x@db/team?sslmode=require', 'bob', 'y')).toBe(
      'postgres://bob:y@db/team?sslmode=require',
    )
  })

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('needs no TLS on %s', (host) => {
    expect(parseAddress(`postgres://a@${host}/t`).tls).toBeNull()
    expect(parseAddress(`postgres://a@${host}/t?sslmode=verify-full`).tls).toEqual({ verify: true, rootCert: null })
  })

  it('needs no TLS through a Unix socket', () => {
    expect(parseAddress('postgres://a@x/t?host=/var/run/postgresql')).toMatchObject({
      host: '/var/run/postgresql',
      tls: null,
    })
  })

  it.each(['disable', 'allow', 'prefer'])('is refused with sslmode=%s elsewhere', (mode) => {
    expect(() => parseAddress(`postgres://a@db.example.com/t?sslmode=${mode}`)).toThrow('travels encrypted')
    expect(() => parseAddress(`postgres://a@localhost.example.com/t?sslmode=${mode}`)).toThrow('travels encrypted')
  })

  it.each(['alice', 'mysql://a@b/c', 'postgres://db/team', 'postgres://a@db'])('is refused: %s', (url) => {
    expect(() => parseAddress(url)).toThrow(/postgres:\/\/alice@db.example.com\/team/)
  })
})

describe('a password', () => {
  const address = parseAddress('postgres://alice@db.example.com/team')

  it('is in the first line of a pgpass file that fits', () => {
    const lines = [
      '# db.example.com:*:*:alice:no',
      'other:*:*:*:no',
      'db.example.com:1:*:*:no',
      '*:*:team:alice:a\\:b\\\\c',
      '*:*:*:*:last',
    ]

    expect(passwordIn(lines.join('\n'), address)).toBe('a:b\\c')
    expect(passwordIn('short:line\n', address)).toBeNull()
  })

  it('comes from the address, then PGPASSWORD, then ~/.pgpass, which only its owner may read', () => {
    const home = tempDir()
    const file = path.join(home, '.pgpass')
    fs.writeFileSync(file, '*:*:*:*:from-file', { mode: 0o600 })
    const from = (url: string, env: Record<string, string> = {}): string =>
      connectionOf(url, { env, home, platform: 'linux' }).password
    const url = 'postgres://alice@db.example.com/team'

    expect(from(url)).toBe('from-file')
    expect(from(url, { PGPASSWORD: 'from-env' })).toBe('from-env')
    expect(from('postgres://alice:own@db.example.com/team', { PGPASSWORD: 'from-env' })).toBe('own')
    fs.chmodSync(file, 0o644)
    expect(from(url)).toBe('')
  })
})

it('faultOf knows each fault of a server by its code', () => {
  expect(
    ['ECONNREFUSED', 'CONNECTION_CLOSED', '57P01', '28P01', '42501', '53100', '57014', 'XX000'].map(faultOf),
  ).toEqual(['away', 'away', 'away', 'refused', 'removed', 'full', 'slow', 'failed'])
})

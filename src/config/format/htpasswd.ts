import { hashScheme } from '../../model/policies/password-hash.ts'
import type { Complaint } from './format-check.ts'

/** A user of an htpasswd file. */
export interface HtpasswdUser {
  readonly name: string
  readonly hash: string
}

/** A line that defines no user. */
export interface HtpasswdProblem extends Complaint {
  /** 1-based. */
  readonly line: number
}

/**
 * Parses an htpasswd file: `name:hash` lines, comments and empty lines. Text after another colon is ignored.
 */
export const parseHtpasswd = (
  text: string,
): { readonly users: readonly HtpasswdUser[]; readonly problems: readonly HtpasswdProblem[] } => {
  const users = new Map<string, HtpasswdUser>()
  const problems: HtpasswdProblem[] = []
  for (const [index, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '' || line.startsWith('#')) continue
    const [name = '', hash] = line.split(':')
    const complaint = complaintAbout(name, hash, users)
    if (complaint) problems.push({ line: index + 1, ...complaint })
    else users.set(name, { name, hash: hash ?? '' })
  }
  return { users: [...users.values()], problems }
}

/** The work factor of a bcrypt hash: each increment doubles the time. */
export const bcryptCost = (hash: string): number | undefined =>
  hashScheme(hash) === 'bcrypt' ? Number(hash.slice(4, 6)) : undefined

/** The message does not quote the hash: it may be a password. */
const complaintAbout = (
  name: string,
  hash: string | undefined,
  users: ReadonlyMap<string, unknown>,
): Complaint | undefined => {
  if (hash === undefined) return { expectation: 'must be name:hash' }
  if (name === '') return { expectation: 'names no user' }
  if (users.has(name)) return { expectation: `names ${JSON.stringify(name)} a second time` }
  if (hashScheme(hash) !== undefined) return undefined
  return {
    expectation: 'has no hash that is known here: bcrypt, apr1, SHA-1 and crypt are',
    hint: 'htpasswd -B makes bcrypt hashes; passwords in clear are not taken',
  }
}

import { createHash, timingSafeEqual } from 'node:crypto'
import apacheMd5 from 'apache-md5'
import { compareSync } from 'bcryptjs'
import crypt from 'unix-crypt-td-js'
import { hashScheme } from '../../model/policies/password-hash.ts'

/**
 * Whether a hash matches this password. Takes 2 µs for SHA-1, 2 ms for APR1 and crypt, and by its cost for bcrypt, half
 * a second and more included: only SHA-1 may be checked on the thread that serves requests.
 */
export const checkPassword = (password: string, hash: string): boolean => {
  switch (hashScheme(hash)) {
    case 'bcrypt':
      return compareSync(password, hash)
    case 'sha1':
      return isSame(`{SHA}${createHash('sha1').update(password).digest('base64')}`, hash)
    case 'apr1':
      return isSame(apr1(bytesOf(password), hash), hash)
    case 'crypt':
      return isSame(crypt(bytesOf(password), hash.slice(0, 2)), hash)
    case undefined:
      return false
  }
}

/** Its types wrongly declare a `default` export. */
const apr1 = apacheMd5 as unknown as (password: string, salt: string) => string

/** The libraries hash characters, but the programs that create such files hash the bytes of UTF-8. */
const bytesOf = (password: string): string => Buffer.from(password).toString('latin1')

const isSame = (made: string, hash: string): boolean =>
  made.length === hash.length && timingSafeEqual(Buffer.from(made), Buffer.from(hash))

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPassword } from '../../../src/upstream/passwords/check-password.ts'

/** Created by `openssl passwd`, Perl's `crypt` and `htpasswd -B` of Apache 2.4, not by the libraries that check them. */
const made: readonly (readonly [how: string, password: string, hash: string])[] = [
  ['APR1', 'secret', '$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/'],
  ['APR1 of UTF-8', 'pässwörd', '$apr1$abcdefgh$030j6I3f1zNCF9tihqdd11'],
  ['crypt', 'secret', 'abNANd1rDfiNc'],
  ['crypt of UTF-8', 'wörd', 'abjA6y6cVQ6u2'],
  ['SHA-1', 'password', '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='],
  ['bcrypt', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
]

for (const [how, password, hash] of made) {
  test(`a password matches its ${how} hash, and no other does`, () => {
    assert.equal(checkPassword(password, hash), true)
    assert.equal(checkPassword(password.slice(0, -1), hash), false)
    assert.equal(checkPassword('', hash), false)
  })
}

test('the three prefixes of bcrypt are equal', () => {
  for (const name of ['$2a$', '$2b$', '$2y$'])
    assert.equal(
      checkPassword('U*U', `${name}05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW`),
      true,
    )
})

test('a text that is no hash matches no password, not even the text itself', () => {
  for (const hash of ['secret', '', '$5$salt$hash', '{SSHA}AAAA', '$2a$31$short'])
    assert.equal(checkPassword(hash, hash), false)
})

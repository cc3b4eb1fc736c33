import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bcryptCost, parseHtpasswd } from '../../../src/config/format/htpasswd.ts'

const BCRYPT = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

test('parseHtpasswd', async (t) => {
  await t.test('accepts every kind of hash, comments, empty lines and CRLF line ends', () => {
    const text = [
      '# staff',
      `alice:${BCRYPT}`,
      '',
      'bob:$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/:Bob the builder',
      '  carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=',
      'dän:abNANd1rDfiNc',
    ].join('\r\n')
    const { users, problems } = parseHtpasswd(text)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      users.map(({ name }) => name),
      ['alice', 'bob', 'carol', 'dän'],
    )
    assert.equal(users[0]?.hash, BCRYPT)
    assert.equal(users[1]?.hash, '$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/')
  })

  await t.test('reports the error in a line without its hash', () => {
    const { users, problems } = parseHtpasswd(
      [
        'alice',
        ':abNANd1rDfiNc',
        'bob:s3cret!',
        'carol:$6$salt$hash',
        'dave:abNANd1rDfiNc',
        'dave:abNANd1rDfiNc',
      ].join('\n'),
    )
    assert.deepEqual(
      problems.map(({ line, expectation }) => `${String(line)} ${expectation}`),
      [
        '1 must be name:hash',
        '2 names no user',
        '3 has no hash that is known here: bcrypt, apr1, SHA-1 and crypt are',
        '4 has no hash that is known here: bcrypt, apr1, SHA-1 and crypt are',
        '6 names "dave" a second time',
      ],
    )
    assert.deepEqual(
      users.map(({ name }) => name),
      ['dave'],
    )
    assert.doesNotMatch(JSON.stringify(problems), /s3cret/)
  })
})

test('bcryptCost is defined for bcrypt only', () => {
  assert.deepEqual([bcryptCost(BCRYPT), bcryptCost('abNANd1rDfiNc')], [5, undefined])
})

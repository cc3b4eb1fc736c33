import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CredentialSource,
  putCredential,
  readCredentials,
  removeCredential,
} from '../../../src/operators/credentials/credential-source.ts'
import { exchange, type ExchangeOverrides } from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const bearer: CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Bearer ' }
const plain: CredentialSource = { kind: 'header', name: 'x-key' }
const query: CredentialSource = { kind: 'queryParameter', name: 'key' }
const cookie: CredentialSource = { kind: 'cookie', name: 'key' }

const reading: readonly (readonly [string, CredentialSource, ExchangeOverrides, readonly string[]])[] = [
  ['no header', bearer, {}, []],
  ['a header with its prefix', bearer, { headers: { authorization: 'Bearer abc' } }, ['abc']],
  ['a prefix in another case', bearer, { headers: { authorization: 'bEARER abc' } }, ['abc']],
  ['more blanks than one', bearer, { headers: { authorization: 'Bearer   abc' } }, ['abc']],
  ['another prefix', bearer, { headers: { authorization: 'Basic abc' } }, []],
  ['a prefix and nothing after it', bearer, { headers: { authorization: 'Bearer ' } }, []],
  ['a header twice', bearer, { headers: { authorization: ['Bearer a', 'Bearer b'] } }, ['a', 'b']],
  ['a header without prefix', plain, { headers: { 'x-key': 'Bearer abc' } }, ['Bearer abc']],
  ['an empty header', plain, { headers: { 'x-key': '' } }, []],
  ['no query', query, {}, []],
  ['a parameter', query, { path: '/a?b=1&key=a%2Bb' }, ['a+b']],
  ['a parameter with an encoded name', query, { path: '/a?%6Bey=abc' }, ['abc']],
  ['a parameter twice', query, { path: '/a?key=1&key=2' }, ['1', '2']],
  ['an empty parameter', query, { path: '/a?key=' }, []],
  ['no cookie', cookie, { headers: { cookie: 'monkey=1; Key=2' } }, []],
  ['a cookie', cookie, { headers: { cookie: 'a=1; key=abc; b=2' } }, ['abc']],
  ['a quoted cookie', cookie, { headers: { cookie: 'key="abc"' } }, ['abc']],
  ['a cookie in two fields', cookie, { headers: { cookie: ['key=1', 'a=1;key=2'] } }, ['1', '2']],
  ['an expression', { kind: 'expression', expression: gives('abc') }, {}, ['abc']],
  ['an expression that gives a number', { kind: 'expression', expression: gives(1) }, {}, []],
  ['an expression that fails', { kind: 'expression', expression: fails() }, {}, []],
]

for (const [what, source, overrides, expected] of reading)
  test(`finds ${String(expected.length)} credential(s) in ${what}`, () => {
    assert.deepEqual(readCredentials(source, exchange(overrides)), expected)
  })

test('removing a credential changes nothing else', () => {
  const x = exchange({
    path: '/a?b=%20&%6Bey=1&&c&key=2',
    headers: { authorization: 'Bearer abc', cookie: ['key=1', 'a=1;  key=2; b="x y"'], 'x-key': 'k' },
  })
  for (const source of [bearer, query, cookie]) removeCredential(source, x)
  removeCredential({ kind: 'expression', expression: gives('k') }, x)
  assert.deepEqual(x.request.headers.raw, ['x-key', 'k', 'cookie', 'a=1; b="x y"'])
  assert.equal(x.request.query, '?b=%20&&c')
  assert.equal(x.request.headers.has('authorization'), false)
})

test('removing the only query parameter removes the question mark', () => {
  const x = exchange({ path: '/a?key=1' })
  removeCredential(query, x)
  assert.equal(x.request.target, '/a')
})

test('setting a credential replaces the existing one', () => {
  const x = exchange({
    path: '/a?key=old&b=1',
    headers: { authorization: ['Basic a', 'b'], cookie: 'key=old; a=1' },
  })
  putCredential({ kind: 'header', name: 'authorization', prefix: 'Bearer ' }, x, 'new')
  putCredential({ kind: 'queryParameter', name: 'key' }, x, 'n&w')
  putCredential({ kind: 'cookie', name: 'key' }, x, 'new')
  assert.deepEqual(x.request.headers.all('authorization'), ['Bearer new'])
  assert.deepEqual(x.request.headers.all('cookie'), ['a=1; key=new'])
  assert.equal(x.request.target, '/a?b=1&key=n%26w')
})

test('setting a credential adds it if there is none', () => {
  const x = exchange({ path: '/a' })
  putCredential({ kind: 'queryParameter', name: 'key' }, x, 'new')
  putCredential({ kind: 'cookie', name: 'key' }, x, 'new')
  assert.equal(x.request.target, '/a?key=new')
  assert.deepEqual(x.request.headers.raw, ['cookie', 'key=new'])
})

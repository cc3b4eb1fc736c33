import { createHmac, createPublicKey, sign } from 'node:crypto'
import { part, type Signer, signer } from '../tokens.ts'
import { type Hostile, type HostileClass, noKeyId, valueTitle, unknownKey } from './hostile.ts'

const spellingsOfNone = [
  'none',
  'None',
  'NONE',
  'nOnE',
  'none ',
  ' none',
  'none\u0000',
  'n\u043ene',
  'nonE',
  'no',
  '',
  'null',
  null,
  false,
  0,
  [],
  {},
  ['none'],
  ['none', 'RS256'],
  undefined,
] as const

/** No signature at all, in every spelling. */
export const algNone: HostileClass = ({ rsa, claims }) =>
  spellingsOfNone.flatMap((alg) => {
    const header = part({ alg, kid: rsa.kid, typ: 'JWT' })
    const what = valueTitle(alg)
    return [
      { what: `${what}, signature empty`, token: `${header}.${part(claims())}.` },
      { what: `${what}, signature of zeros`, token: `${header}.${part(claims())}.AAAA` },
      { what: `${what}, signed all the same`, token: rsa.sign(header, part(claims())) },
    ]
  })

/** The public key as the secret of an HMAC. */
export const hmacWithPublicKey: HostileClass = ({ rsa, ec, ed, claims }) =>
  [rsa, ec, ed].flatMap((one) =>
    ['HS256', 'HS384', 'HS512'].flatMap((alg) =>
      Object.entries(formsOf(one)).map(([form, secret]) => {
        const input = `${part({ alg, kid: one.kid })}.${part(claims())}`
        const mac = createHmac(`sha${alg.slice(2)}`, secret)
          .update(input)
          .digest('base64url')
        return { what: `${alg} with the ${one.kid} key as ${form}`, token: `${input}.${mac}` }
      }),
    ),
  )

const formsOf = ({ publicKey, jwk }: Signer): Readonly<Record<string, string | Buffer>> => {
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const forms: Record<string, string | Buffer> = {
    PEM: pem,
    'PEM without its last line break': pem.trimEnd(),
    'PEM with CRLF': pem.replaceAll('\n', '\r\n'),
    DER: publicKey.export({ format: 'der', type: 'spki' }),
    JWK: JSON.stringify(jwk),
    'the base64 of its PEM': pem.split('\n').slice(1, -2).join(''),
  }
  if (jwk.kty === 'RSA') {
    forms['PKCS#1 PEM'] = publicKey.export({ format: 'pem', type: 'pkcs1' }).toString()
    forms['PKCS#1 DER'] = publicKey.export({ format: 'der', type: 'pkcs1' })
    forms['its modulus'] = Buffer.from(String(jwk.n), 'base64url')
  } else forms['its x'] = Buffer.from(String(jwk.x), 'base64url')
  return forms
}

/** Valid signatures under another algorithm name; and algorithms that must not be accepted. */
export const wrongAlgorithm: HostileClass = ({ rsa, ec, ed, claims }) => [
  ...[rsa, ec, ed].flatMap((one) =>
    algorithms
      .filter((alg) => alg !== one.jwk.alg)
      .map((alg) => ({ what: `${alg} for the ${one.kid} key`, token: one.token(claims(), { alg }) })),
  ),
  ...(['PS256', 'RS384', 'RS512'] as const).map((alg) => {
    // The key would fit mathematically; it is published for RS256.
    const input = `${part({ alg, kid: rsa.kid })}.${part(claims())}`
    const padding = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {}
    const made = sign(`sha${alg.slice(2)}`, Buffer.from(input), { key: rsa.privateKey, ...padding })
    return { what: `${alg} by an RS256 key`, token: `${input}.${made.toString('base64url')}` }
  }),
]

const algorithms = [
  'RS256',
  'RS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'ES256K',
  'EdDSA',
  'Ed25519',
  'Ed448',
  'HS256',
  'rs256',
  'Rs256',
  'RS256 ',
  'RSA256',
  'RS1',
  'SHA256',
  'MD5',
  'HS256K',
  'dir',
  'A256GCM',
  'A256KW',
  'RSA-OAEP',
  'ML-DSA-44',
  'PBES2-HS256+A128KW',
  'constructor',
  '__proto__',
]

/** Keys that the token contains or refers to. */
export const embeddedKeys: HostileClass = ({ rsa, claims }) => {
  const attacker = signer('attacker', 'RS256')
  const pem = attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const brought: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    jwk: { jwk: attacker.jwk },
    'jwk with the known kid': { jwk: { ...attacker.jwk, kid: rsa.kid } },
    'symmetric jwk': { jwk: { kty: 'oct', k: 'c2VjcmV0', kid: rsa.kid } },
    jku: { jku: 'https://evil.test/keys' },
    'jku to loopback': { jku: 'http://127.0.0.1:1/keys' },
    'jku to a file': { jku: 'file:///etc/passwd' },
    x5u: { x5u: 'https://evil.test/cert.pem' },
    x5c: { x5c: [pem] },
    'x5c of nonsense': { x5c: ['AAAA', '', '<script>'] },
    x5t: { x5t: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA', 'x5t#S256': 'AAAA' },
    all: { jwk: attacker.jwk, jku: 'https://evil.test', x5u: 'https://evil.test', x5c: [pem] },
  }
  return Object.entries(brought).flatMap(([what, more]): Hostile[] => [
    { what: `${what}, own kid`, token: attacker.token(claims(), more), says: unknownKey },
    { what: `${what}, known kid`, token: attacker.token(claims(), { ...more, kid: rsa.kid }) },
    { what: `${what}, no kid`, token: attacker.token(claims(), { ...more, kid: undefined }), says: noKeyId },
  ])
}

/** Another key with the right id: the simplest forgery. */
export const forged: HostileClass = ({ rsa, ec, ed, claims }) =>
  [rsa, ec, ed].flatMap((one) => {
    const other = signer(one.kid, one.jwk.alg as 'RS256')
    const spki = createPublicKey(other.publicKey.export({ format: 'pem', type: 'spki' }))
    return [
      { what: `another ${one.kid} key`, token: other.token(claims()) },
      { what: `another ${one.kid} key, as admin`, token: other.token(claims({ roles: ['admin'] })) },
      {
        what: `another ${one.kid} key that says it is known`,
        token: other.token(claims(), { jwk: spki.export({ format: 'jwk' }) }),
      },
    ]
  })

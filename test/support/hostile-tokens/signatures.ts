import { sign } from 'node:crypto'
import { part, type Signer } from '../tokens.ts'
import type { Hostile, HostileClass } from './hostile.ts'

const ORDER_P256 = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const ORDER_ED25519 = 2n ** 252n + 27742317777372353535851937790883648493n

/** Signatures that are removed, malleated, of other texts or in other forms. */
export const signatures: HostileClass = ({ rsa, ec, ed, claims }) => [
  ...[rsa, ec, ed].flatMap((one) => bent(one, claims())),
  ...ecdsa(ec, claims()),
  ...rsaNumbers(rsa, claims()),
  ...eddsa(ed, claims()),
]

/** The input of a good token, and its signature. */
const apart = (one: Signer, claims: Readonly<Record<string, unknown>>) => {
  const token = one.token(claims)
  const dot = token.lastIndexOf('.')
  const input = token.slice(0, dot)
  const signature = Buffer.from(token.slice(dot + 1), 'base64url')
  return { input, signature, with: (bytes: Buffer) => `${input}.${bytes.toString('base64url')}` }
}

const bent = (one: Signer, claims: Readonly<Record<string, unknown>>): Hostile[] => {
  const { input, signature, with: withSignature } = apart(one, claims)
  const [header = '', payload = ''] = input.split('.')
  const flipped = (at: number) => {
    const bytes = Buffer.from(signature)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return withSignature(bytes)
  }
  const other = apart(one, { ...claims, sub: 'root' })
  const spaced = part(JSON.stringify(claims, undefined, 1))
  const reordered = part({ kid: one.kid, alg: one.jwk.alg })
  const bytes = signature.toString('base64url')
  return [
    ['stripped', `${input}.`],
    ['stripped with its dot', input],
    ['one byte', withSignature(Buffer.from([0]))],
    ['all zeros', withSignature(Buffer.alloc(signature.length))],
    ['all ones', withSignature(Buffer.alloc(signature.length, 0xff))],
    ['first bit flipped', flipped(0)],
    ['last bit flipped', flipped(signature.length - 1)],
    ['middle bit flipped', flipped(signature.length >> 1)],
    ['a byte short', withSignature(signature.subarray(0, -1))],
    ['half', withSignature(signature.subarray(0, signature.length / 2))],
    ['a byte more', withSignature(Buffer.concat([signature, Buffer.alloc(1)]))],
    ['a byte more in front', withSignature(Buffer.concat([Buffer.alloc(1), signature]))],
    ['twice', withSignature(Buffer.concat([signature, signature]))],
    ['reversed', withSignature(Buffer.from(signature).reverse())],
    ['of other claims', withSignature(other.signature)],
    ['over other claims', `${header}.${part({ ...claims, sub: 'root' })}.${bytes}`],
    ['over the same claims, written otherwise', `${header}.${spaced}.${bytes}`],
    ['under a header written otherwise', `${reordered}.${payload}.${bytes}`],
    ['as hexadecimal', `${input}.${signature.toString('hex')}`],
    ['of the payload alone', one.sign('', payload).replace(/^\.[^.]*/, input)],
  ].map(([what, token]) => ({ what: `${one.kid}: ${String(what)}`, token: String(token) }))
}

const ecdsa = (ec: Signer, claims: Readonly<Record<string, unknown>>): Hostile[] => {
  const { input, signature, with: withSignature } = apart(ec, claims)
  const zero = Buffer.alloc(32)
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])])
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)]
  const numbers: readonly (readonly [string, Buffer, Buffer])[] = [
    ['r 0, s 0', zero, zero],
    ['r 0', zero, s],
    ['s 0', r, zero],
    ['r 1, s 1', one, one],
    ['r n, s n', ORDER_P256, ORDER_P256],
    ['r n', ORDER_P256, s],
    ['s n', r, ORDER_P256],
    ['r 0, s n', zero, ORDER_P256],
    ['r 1, s 0', one, zero],
    ['s and r', s, r],
  ]
  const der = sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'der' })
  return [
    ...numbers.map(([what, a, b]) => ({ what: `ec: ${what}`, token: withSignature(Buffer.concat([a, b])) })),
    { what: 'ec: in DER', token: withSignature(der) },
    {
      what: 'ec: padded to 66 bytes',
      token: withSignature(Buffer.concat([Buffer.alloc(1), r, Buffer.alloc(1), s])),
    },
    {
      what: 'ec: of SHA-384',
      token: withSignature(
        sign('sha384', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
      ),
    },
  ]
}

const rsaNumbers = (rsa: Signer, claims: Readonly<Record<string, unknown>>): Hostile[] => {
  const { input, signature, with: withSignature } = apart(rsa, claims)
  const modulus = BigInt(`0x${Buffer.from(String(rsa.jwk.n), 'base64url').toString('hex')}`)
  const bytes = (value: bigint) => Buffer.from(value.toString(16).padStart(512, '0'), 'hex')
  const value = BigInt(`0x${signature.toString('hex')}`)
  return [
    ['1', bytes(1n)],
    ['2', bytes(2n)],
    ['n', bytes(modulus)],
    ['n − 1', bytes(modulus - 1n)],
    ['n − s', bytes(modulus - value)],
    ['of SHA-1', sign('sha1', Buffer.from(input), rsa.privateKey)],
    ['of SHA-512', sign('sha512', Buffer.from(input), rsa.privateKey)],
    ['PSS', sign('sha256', Buffer.from(input), { key: rsa.privateKey, padding: 6, saltLength: 32 })],
    [
      'PSS without salt',
      sign('sha256', Buffer.from(input), { key: rsa.privateKey, padding: 6, saltLength: 0 }),
    ],
    ['the bare digest', Buffer.alloc(256, 1)],
  ].map(([what, made]) => ({ what: `rsa: ${String(what)}`, token: withSignature(made as Buffer) }))
}

const eddsa = (ed: Signer, claims: Readonly<Record<string, unknown>>): Hostile[] => {
  const { signature, with: withSignature } = apart(ed, claims)
  const r = signature.subarray(0, 32)
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`)
  // The equivalent signature for a verifier that does not reduce S (RFC 8032 §5.1.7).
  const twin = Buffer.from((s + ORDER_ED25519).toString(16).padStart(64, '0'), 'hex').reverse()
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])
  return [
    { what: 'ed: S + L', token: withSignature(Buffer.concat([r, twin])) },
    { what: 'ed: R the identity, S 0', token: withSignature(Buffer.concat([identity, Buffer.alloc(32)])) },
    {
      what: 'ed: R of small order',
      token: withSignature(Buffer.concat([Buffer.alloc(32), signature.subarray(32)])),
    },
    { what: 'ed: S and R', token: withSignature(Buffer.concat([signature.subarray(32), r])) },
  ]
}

import { gzipSync } from 'node:zlib'
import { part } from '../tokens.ts'
import { type Hostile, type HostileClass, notFound } from './hostile.ts'

/** Other encodings of the same bytes. The text itself is signed, by the right key. */
export const spellings: HostileClass = ({ rsa, claims }) => {
  const header = part({ alg: 'RS256', kid: rsa.kid })
  const payload = part(claims())
  const token = rsa.sign(header, payload)
  const [, , signature = ''] = token.split('.')
  const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  // Claims whose length leaves unused bits, to set one of them.
  const loose =
    ['', ' ', '  '].map((blank) => part(JSON.stringify(claims()) + blank)).find((text) => text.length % 4) ??
    ''
  const bit = (text: string) => text.slice(0, -1) + next(text.at(-1) ?? 'A')
  const plus = part(JSON.stringify(claims({ x: '>>>???' })))
  return [
    { what: 'header padded', token: rsa.sign(`${header}=`, payload) },
    { what: 'payload padded', token: rsa.sign(header, `${payload}==`) },
    { what: 'signature padded', token: `${token}==` },
    { what: 'signature with one =', token: `${token}=` },
    { what: 'header with a blank', token: rsa.sign(`${header.slice(0, 4)} ${header.slice(4)}`, payload) },
    { what: 'payload with a blank', token: rsa.sign(header, `${payload.slice(0, 4)} ${payload.slice(4)}`) },
    { what: 'payload with a tab', token: rsa.sign(header, `${payload.slice(0, 4)}\t${payload.slice(4)}`) },
    {
      what: 'signature with a blank',
      token: `${header}.${payload}.${signature.slice(0, 4)} ${signature.slice(4)}`,
    },
    { what: 'a blank around a dot', token: `${header}. ${payload}.${signature}` },
    {
      what: 'payload in the standard alphabet',
      token: rsa.sign(header, plus.replaceAll('-', '+').replaceAll('_', '/')),
    },
    { what: 'signature in the standard alphabet', token: `${header}.${payload}.${standard(signature)}` },
    { what: 'payload with bits left over', token: rsa.sign(header, bit(loose)) },
    { what: 'signature with bits left over', token: `${header}.${payload}.${bit(signature)}` },
    {
      what: 'header with bits left over',
      token: rsa.sign(bit(part(`{"alg":"RS256","kid":"${rsa.kid}"  }`)), payload),
    },
    {
      what: 'payload with a * inside',
      token: rsa.sign(header, `${payload.slice(0, 8)}*${payload.slice(8)}`),
    },
    { what: 'payload with Latin letters beyond ASCII', token: rsa.sign(header, `${payload}é`) },
    { what: 'a quoted token', token: `"${token}"` },
    { what: 'a token in brackets', token: `<${token}>` },
    { what: 'dots as %2E', token: token.replaceAll('.', '%2E') },
    { what: 'a comma after it', token: `${token},` },
    { what: 'a semicolon after it', token: `${token};` },
    { what: 'Bearer twice', token: `Bearer ${token}` },
    { what: 'a parameter after it', token: `${token} realm="x"` },
  ]
}

/** The base64 letter that differs in its last bit, which is unused at the end. */
const next = (letter: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? 'B'
}

/** Texts that are not a signed token in compact form. */
export const structures: HostileClass = ({ rsa, claims }) => {
  const token = rsa.token(claims())
  const [header = '', payload = '', signature = ''] = token.split('.')
  const flattened = { protected: header, payload, signature }
  const jwe = { alg: 'dir', enc: 'A256GCM', kid: rsa.kid }
  const nothing: Hostile[] = [
    { what: 'nothing', token: '', says: notFound },
    { what: 'a dot', token: '.' },
    { what: 'two dots', token: '..' },
    { what: 'four dots', token: '....' },
    { what: 'a thousand dots', token: '.'.repeat(1_000) },
    { what: 'a word', token: 'token' },
    { what: 'null', token: 'null' },
  ]
  return [
    ...nothing,
    { what: 'an empty header', token: rsa.sign('', payload) },
    { what: 'an empty payload', token: rsa.sign(header, '') },
    { what: 'a part too many', token: `${token}.` },
    { what: 'a part too many, in front', token: `.${token}` },
    { what: 'a part too many, full', token: `${token}.${signature}` },
    { what: 'six parts', token: `${token}.${token}` },
    { what: 'flattened JSON', token: JSON.stringify(flattened) },
    {
      what: 'general JSON',
      token: JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
    },
    { what: 'JSON of a token', token: JSON.stringify(token) },
    { what: 'flattened JSON, encoded', token: part(flattened) },
    { what: 'an encrypted token', token: `${part(jwe)}..${part('iv')}.${part('text')}.${part('tag')}` },
    {
      what: 'an encrypted token with RSA',
      token: `${part({ ...jwe, alg: 'RSA-OAEP' })}.${part('key')}.${part('iv')}.${part('text')}.${part('tag')}`,
    },
    {
      what: 'an encrypted token with a bomb',
      token: `${part({ ...jwe, alg: 'PBES2-HS256+A128KW', p2c: 2 ** 31, p2s: 'AAAA', zip: 'DEF' })}.${part('key')}.${part('iv')}.${part('text')}.${part('tag')}`,
    },
    { what: 'a detached payload', token: `${header}..${signature}` },
  ]
}

/** Tokens in tokens, and payloads other than claims. Signed by the right key. */
export const nested: HostileClass = ({ rsa, claims }) => {
  const header = part({ alg: 'RS256', kid: rsa.kid })
  const token = rsa.token(claims())
  const of = (value: object | string | Buffer) => rsa.sign(header, part(value))
  return [
    { what: 'a token as payload', token: of(token) },
    {
      what: 'a token as payload that says so',
      token: rsa.sign(part({ alg: 'RS256', kid: rsa.kid, cty: 'JWT' }), part(token)),
    },
    { what: 'claims that say they are a token', token: rsa.token(claims(), { cty: 'JWT' }) },
    {
      what: 'claims that say they are one, as a media type',
      token: rsa.token(claims(), { cty: 'application/jwt' }),
    },
    { what: 'a token as text', token: of(JSON.stringify(token)) },
    { what: 'an array', token: of([claims()]) },
    { what: 'a number', token: of('1') },
    { what: 'null', token: of('null') },
    { what: 'true', token: of('true') },
    { what: 'a text', token: of('"ann"') },
    { what: 'no JSON', token: of('sub=ann') },
    { what: 'JSON and more', token: of(`${JSON.stringify(claims())}{}`) },
    { what: 'JSON with a comment', token: of(`${JSON.stringify(claims())}//`) },
    { what: 'JSON with single quotes', token: of(JSON.stringify(claims()).replaceAll('"', "'")) },
    { what: 'JSON with a comma at the end', token: of(`${JSON.stringify(claims()).slice(0, -1)},}`) },
    { what: 'JSON that is cut', token: of(JSON.stringify(claims()).slice(0, -1)) },
    {
      what: 'compressed JSON',
      token: rsa.sign(
        part({ alg: 'RS256', kid: rsa.kid, zip: 'DEF' }),
        part(gzipSync(JSON.stringify(claims()))),
      ),
    },
    {
      what: 'deep JSON',
      token: of(`${JSON.stringify(claims()).slice(0, -1)},"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`),
    },
    {
      what: 'deep objects',
      token: of(
        `${JSON.stringify(claims()).slice(0, -1)},"a":${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}}`,
      ),
    },
    {
      what: 'a header that is an array',
      token: rsa.sign(part([{ alg: 'RS256', kid: rsa.kid }]), part(claims())),
    },
    { what: 'a header that is a text', token: rsa.sign(part('"RS256"'), part(claims())) },
    { what: 'a header that is null', token: rsa.sign(part('null'), part(claims())) },
    { what: 'a header with a typ that is a list', token: rsa.token(claims(), { typ: ['JWT'] }) },
    { what: 'a header with a cty that is a number', token: rsa.token(claims(), { cty: 1 }) },
  ]
}

/** Invalid UTF-8, and invalid text. Signed by the right key. */
export const encodings: HostileClass = ({ rsa, claims }) => {
  const header = part({ alg: 'RS256', kid: rsa.kid })
  const text = JSON.stringify(claims({ x: '#' }))
  const bytes = (hex: string) => {
    const at = text.indexOf('#')
    return Buffer.concat([
      Buffer.from(text.slice(0, at)),
      Buffer.from(hex, 'hex'),
      Buffer.from(text.slice(at + 1)),
    ])
  }
  const wrong: Readonly<Record<string, string>> = {
    'a lone continuation byte': '80',
    'a sequence that is cut': 'c3',
    'a slash, overlong': 'c0af',
    'a quote, overlong': 'c0a2',
    'a zero, overlong': 'c080',
    'three bytes, overlong': 'e080af',
    'half of a surrogate pair': 'eda080',
    'a pair of surrogates': 'eda0bdedb880',
    'beyond Unicode': 'f4908080',
    'five bytes': 'f888808080',
    'FF FE': 'fffe',
    'a byte of Latin-1': 'e9',
  }
  return [
    ...Object.entries(wrong).map(([what, hex]) => ({ what, token: rsa.sign(header, part(bytes(hex))) })),
    {
      what: 'in the header',
      token: rsa.sign(
        part(
          Buffer.concat([
            Buffer.from('{"alg":"RS256","kid":"rsa","x":"'),
            Buffer.from([0xff]),
            Buffer.from('"}'),
          ]),
        ),
        part(claims()),
      ),
    },
    { what: 'a byte order mark', token: rsa.sign(header, part(`\ufeff${JSON.stringify(claims())}`)) },
    {
      what: 'a byte order mark in the header',
      token: rsa.sign(part(`\ufeff{"alg":"RS256","kid":"${rsa.kid}"}`), part(claims())),
    },
    { what: 'UTF-16', token: rsa.sign(header, part(Buffer.from(JSON.stringify(claims()), 'utf16le'))) },
    { what: 'half a surrogate pair, escaped', token: rsa.sign(header, part(text.replace('#', '\\ud800'))) },
    { what: 'the other half, escaped', token: rsa.sign(header, part(text.replace('#', '\\udc00'))) },
    {
      what: 'the halves the wrong way round',
      token: rsa.sign(header, part(text.replace('#', '\\udc00\\ud800'))),
    },
    { what: 'a control character in a text', token: rsa.sign(header, part(text.replace('#', '\u0001'))) },
    { what: 'a zero after the object', token: rsa.sign(header, part(`${JSON.stringify(claims())}\u0000`)) },
  ]
}

/** Excessive sizes. */
export const oversized: HostileClass = ({ rsa, claims }) => {
  const header = part({ alg: 'RS256', kid: rsa.kid })
  return [
    ...[12_300, 20_000, 40_000].map((size) => ({
      what: `${size} bytes of claims`,
      token: rsa.token(claims({ x: 'x'.repeat(size) })),
    })),
    {
      what: 'many claims',
      token: rsa.token(claims(Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`c${n}`, n])))),
    },
    { what: 'a long header', token: rsa.token(claims(), { x: 'x'.repeat(20_000) }) },
    { what: 'a long key id', token: rsa.token(claims(), { kid: 'x'.repeat(20_000) }) },
    { what: 'a long signature', token: `${header}.${part(claims())}.${'A'.repeat(40_000)}` },
    { what: 'a long word', token: 'A'.repeat(60_000) },
    { what: 'dots', token: '.'.repeat(60_000) },
    { what: 'brackets', token: `${part('['.repeat(30_000))}.${part('{}')}.AAAA` },
  ]
}

/** Several tokens, each of which would be accepted. */
export const several: HostileClass = ({ rsa, ec, claims }) => {
  const [one, two] = [rsa.token(claims()), ec.token(claims())]
  return [
    { what: 'in two fields', token: [one, two] },
    { what: 'the same twice', token: [one, one] },
    { what: 'a bad one after a good one', token: [one, 'x'] },
    { what: 'a good one after a bad one', token: ['x', one] },
    { what: 'in one field, with a comma', token: `${one}, Bearer ${two}` },
    { what: 'in one field, with a comma and no scheme', token: `${one},${two}` },
    { what: 'in one field, with a blank', token: `${one} ${two}` },
  ]
}

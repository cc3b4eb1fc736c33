import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'
import * as algorithms from '../support/hostile-tokens/algorithms.ts'
import * as claims from '../support/hostile-tokens/claims.ts'
import * as forms from '../support/hostile-tokens/forms.ts'
import * as headers from '../support/hostile-tokens/headers.ts'
import type { Hostile, HostileClass, TrustedIssuer } from '../support/hostile-tokens/hostile.ts'
import { signatures } from '../support/hostile-tokens/signatures.ts'
import { secondsFromNow, signer } from '../support/tokens.ts'

const victim: TrustedIssuer = {
  rsa: signer('rsa', 'RS256'),
  ec: signer('ec', 'ES256'),
  ed: signer('ed', 'EdDSA'),
  claims: (more = {}) => ({
    iss: 'https://idp.test',
    aud: 'api',
    sub: 'ann',
    exp: secondsFromNow(300),
    ...more,
  }),
}
const { rsa, ec, ed } = victim

const classes: Readonly<Record<string, HostileClass>> = {
  'alg none and its spellings': algorithms.algNone,
  'HMAC with the public key': algorithms.hmacWithPublicKey,
  'an algorithm that is not the key’s': algorithms.wrongAlgorithm,
  'jwk, jku, x5c, x5u in the header': algorithms.embeddedKeys,
  'forged with another key': algorithms.forged,
  'unknown crit': headers.critical,
  'b64 false': headers.unencoded,
  'kid traversal and injection': headers.keyIds,
  'names that come twice': headers.duplicates,
  'claims of the wrong type': claims.wrongTypes,
  'clock skew': claims.times,
  'another issuer or audience': claims.otherIssuers,
  'signature stripped or bent': signatures,
  'base64 spelled otherwise': forms.spellings,
  'other structures, JWE, JSON': forms.structures,
  'nested tokens, no claims': forms.nested,
  'no UTF-8': forms.encodings,
  oversized: forms.oversized,
  'several tokens': forms.several,
}

/** The reason for refusing a class, if it has only one. */
const reasons: Readonly<Record<string, RegExp>> = {
  'unknown crit': /^the token is invalid or malformed: its header has `crit`, which is not understood$/,
  'forged with another key': /: its signature is wrong$/,
  'names that come twice':
    /^the token is invalid or malformed: its (?:header|payload) contains the name ".*" twice$/,
  'claims of the wrong type': /^the token is invalid or malformed: its claim `\w+` has the wrong type$/,
  'clock skew': /^the token is invalid or malformed: it (?:has expired|is not valid yet|has no claim `exp`)$/,
  'another issuer or audience':
    /^the token is invalid or malformed: it is (?:from another issuer|for another audience)$/,
  oversized: /^the token is invalid or malformed: it is longer than 16384 characters$/,
}
const malformed = /^the token is invalid or malformed: /
const PREFIX = 'authentication failure: '

test('jwtAuth with hostile tokens', async (t) => {
  await using upstream = await startEcho('upstream')
  const keys = JSON.stringify([rsa.jwk, ec.jwk, ed.jwk])
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies: { jwtAuth: { mode: strict, issuer: https://idp.test, audiences: [api], jwks: { keys: ${keys} } } }
    backends: [{ host: "${upstream.host}" }]
`)
  const url = daemon.url('default')
  const send = (token: Hostile['token']) => {
    const fields = typeof token === 'string' ? `Bearer ${token}` : token.map((one) => `Bearer ${one}`)
    return sendRequest(url, '/', { headers: { authorization: fields } })
  }

  for (const one of [rsa, ec, ed])
    await t.test(`accepts a valid token of the ${one.kid} key, as a control`, async () => {
      assert.equal((await send(one.token(victim.claims()))).status, 200)
    })

  const served = upstream.asked.length
  let total = 0
  for (const [name, make] of Object.entries(classes)) {
    const tokens = make(victim)
    total += tokens.length
    t.diagnostic(`${String(tokens.length).padStart(4)}  ${name}`)
    await t.test(`refuses ${tokens.length} tokens: ${name}`, async () => {
      for (const { what, token, says = reasons[name] ?? malformed } of tokens) {
        const { status, text, headers: fields } = await send(token)
        assert.equal(status, 401, `${what}: ${status} ${text}`)
        assert.ok(text.startsWith(PREFIX) && says.test(text.slice(PREFIX.length)), `${what}: ${text}`)
        assert.match(String(fields['www-authenticate']), /^Bearer\b/, what)
      }
    })
  }
  t.diagnostic(`${String(total).padStart(4)}  in all`)

  await t.test(
    'refuses hundreds of tokens, none of which reached the upstream or harmed the gateway',
    async () => {
      assert.ok(total >= 300)
      assert.equal(upstream.asked.length, served)
      assert.doesNotMatch(daemon.output(), /a stage failed|internal|\berror\b.*stack/)
      assert.equal((await send(rsa.token(victim.claims()))).status, 200)
    },
  )
})

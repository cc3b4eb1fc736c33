import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import OpenAI from 'openai'
import { sendRequest } from '../../support/send-request.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { keySetOf, secondsFromNow, signer } from '../../support/tokens.ts'

const idp = signer('k1')
const token = idp.token({ iss: 'https://idp.test', sub: 'ann', exp: secondsFromNow(3000) })
const apiKey = { mode: 'strict', keys: [{ key: 'key-of-ann', metadata: { name: 'ann' } }] }
const jwtAuth = { mode: 'strict', issuer: 'https://idp.test', jwks: keySetOf(idp) }

const gateway = recordedGateway(
  (host) => `  tokens: { address: 127.0.0.1, port: 0 }
frontendPolicies: { accessLog: { add: { shown: toJson(request.headers) } } }
llm:
  policies: ${JSON.stringify({ apiKey })}
  models:
    - { name: m, provider: openAI, params: { hostOverride: "${host}", apiKey: of-the-gateway } }
    - { name: own, provider: anthropic, params: { hostOverride: "${host}", apiKey: of-the-gateway } }
routes:
  - name: ai
    gateways: tokens
    matches: [{ path: { pathPrefix: / } }]
    policies: ${JSON.stringify({ jwtAuth, ai: { routes: { '/v1/messages': 'messages', '*': 'completions' } } })}
    backends: [{ ai: { name: ai, provider: { openAI: {} }, hostOverride: "${host}" }, policies: { backendAuth: { key: of-the-gateway } } }]
  - name: listed
    gateways: tokens
    matches: [{ path: { exact: /listed } }]
    policies: ${JSON.stringify({ apiKey: { ...apiKey, location: [{ header: { name: 'x-a' } }, { cookie: { name: 'b' } }, { queryParameter: { name: 'c' } }] } })}
    backends: [{ host: "${host}" }]
`,
)

const messages = [{ role: 'user' as const, content: 'hi' }]
const question = JSON.stringify({ model: 'm', messages })

/** The same request with a caller's key, as the official clients send it. */
const clients: Readonly<Record<string, (baseURL: string, key: string) => Promise<unknown>>> = {
  OpenAI: (baseURL, key) =>
    new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: key, maxRetries: 0 }).chat.completions.create({
      model: 'm',
      messages,
    }),
  Anthropic: (baseURL, key) =>
    new Anthropic({ baseURL, apiKey: key, authToken: null, maxRetries: 0 }).messages.create({
      model: 'm',
      max_tokens: 10,
      messages,
    }),
  Google: (baseUrl, key) =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } }).models.generateContent({
      model: 'm',
      contents: 'hi',
    }),
}

const provided = (): string => {
  const [call = assert.fail('nobody was asked')] = gateway.provider.calls
  return [call.path, ...call.rawHeaders, call.bytes.toString()].join('\n')
}

suite('API keys in the locations of LLM clients', () => {
  for (const [name, send] of Object.entries(clients)) {
    test(`authenticate the ${name} client, and are not forwarded`, async () => {
      gateway.provider.calls.length = 0
      await send(gateway.origin, 'key-of-ann')
      assert.doesNotMatch(provided(), /key-of-ann/)
      assert.match(provided(), /of-the-gateway/)
    })

    test(`are refused with 401 for the ${name} client if wrong`, async () => {
      gateway.provider.calls.length = 0
      await assert.rejects(
        send(gateway.origin, 'wrong-key'),
        (error: { status?: number }) => error.status === 401,
      )
      assert.equal(gateway.provider.calls.length, 0)
    })
  }

  const at = (target: string, headers: Record<string, string>, body = question) =>
    sendRequest(gateway.origin, target, { method: 'POST', headers, body })
  const chat = '/v1/chat/completions'

  test('include ?key=, which appears nowhere', async () => {
    gateway.provider.calls.length = 0
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
    const { status, text } = await at('/v1beta/models/m:generateContent?key=key-of-ann', {}, body)
    assert.equal(status, 200, text)
    assert.doesNotMatch(provided(), /key-of-ann/)
  })

  test('are listed in the reply if none has a key', async () => {
    const { status, text, headers } = await at(chat, {})
    assert.equal(status, 401)
    assert.match(text, /no API Key found in Authorization, x-api-key, x-goog-api-key or \?key=/)
    assert.equal(headers['www-authenticate'], 'Bearer')
  })

  test('may contain the same key twice', async () => {
    const { status } = await at(`${chat}?key=key-of-ann`, { 'x-api-key': 'key-of-ann' })
    assert.equal(status, 200)
  })

  test('are refused if the keys differ, valid or not', async () => {
    for (const [target, headers] of [
      [chat, { 'x-api-key': 'key-of-ann', 'x-goog-api-key': 'wrong' }],
      [chat, { 'x-api-key': 'wrong', 'x-goog-api-key': 'key-of-ann' }],
      [`${chat}?key=wrong`, { 'x-api-key': 'key-of-ann' }],
      [`${chat}?key=key-of-ann&key=wrong`, {}],
    ] as const) {
      const { status, text } = await at(target, headers)
      assert.deepEqual([status, text.includes('there are different keys')], [401, true], text)
    }
  })

  test('are overridden by a key in Authorization', async () => {
    gateway.provider.calls.length = 0
    const good = { authorization: 'Bearer key-of-ann', 'x-api-key': 'for-somebody-else' }
    assert.equal((await at(chat, good)).status, 200)
    assert.doesNotMatch(provided(), /for-somebody-else/)
    assert.equal((await at(chat, { authorization: 'Bearer wrong', 'x-api-key': 'key-of-ann' })).status, 401)
  })

  test('do not include spellings with underscores, which are not forwarded', async () => {
    gateway.provider.calls.length = 0
    assert.equal((await at(chat, { x_api_key: 'key-of-ann' })).status, 401)
    assert.equal((await at(chat, { 'x-api-key': 'key-of-ann', x_api_key: 'other-key' })).status, 200)
    assert.doesNotMatch(provided(), /other-key/)
  })

  test('include that of the Anthropic client in front of a route with ai', async () => {
    gateway.provider.calls.length = 0
    const base = gateway.daemon.url('tokens')
    const body = JSON.stringify({ model: 'm', max_tokens: 10, messages })
    const post = (headers: Record<string, string>) =>
      sendRequest(base, '/v1/messages', { method: 'POST', headers, body })
    assert.equal((await post({ 'x-api-key': token })).status, 200)
    assert.equal(provided().includes(token), false)
    const refused = await post({})
    assert.match(refused.text, /no bearer token found in Authorization, x-api-key/)
    assert.equal(refused.headers['www-authenticate'], 'Bearer')
    assert.equal((await post({ 'x-api-key': token, 'x-goog-api-key': 'other' })).status, 401)
  })

  test('can be a list on any route', async () => {
    const base = gateway.daemon.url('tokens')
    const got = async (target: string, headers: Record<string, string>) =>
      (await sendRequest(base, target, { headers })).status
    gateway.provider.calls.length = 0
    assert.equal(await got('/listed', { 'x-a': 'key-of-ann' }), 200)
    assert.equal(await got('/listed', { cookie: 'a=1; b=key-of-ann' }), 200)
    assert.equal(await got('/listed?c=key-of-ann', {}), 200)
    assert.equal(await got('/listed?c=other', { 'x-a': 'key-of-ann' }), 401)
    assert.equal(await got('/listed?c=key-of-ann', { authorization: 'Bearer other' }), 200)
    assert.equal(
      gateway.provider.calls.some(({ path, rawHeaders }) =>
        [path, ...rawHeaders].join().includes('key-of-ann'),
      ),
      false,
    )
    const { text } = await sendRequest(base, '/listed')
    assert.equal(text, 'api key authentication failure: no API Key found in x-a, the cookie b or ?c=')
  })

  test('do not appear in the log', async () => {
    await gateway.daemon.printed(/x-goog-api-key/)
    assert.doesNotMatch(gateway.daemon.output(), /key-of-ann|for-somebody-else/)
  })
})

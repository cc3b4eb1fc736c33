import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callModel, clientFormats, completions, generateContent } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import type { ProviderCall } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: keyed, provider: openAI, params: { hostOverride: "${host}", apiKey: of-the-gateway } }
    - { name: anthropic, provider: anthropic, params: { hostOverride: "${host}", apiKey: of-the-gateway } }
    - { name: google, provider: gemini, params: { hostOverride: "${host}", apiKey: AIza-of-the-gateway } }
    - { name: keyless, provider: openAI, params: { hostOverride: "${host}" } }
    - { name: signed, provider: bedrock, params: { awsRegion: eu-west-1, hostOverride: "${host}" }, auth: { key: of-the-gateway } }
    - { name: passing, provider: openAI, params: { hostOverride: "${host}" }, auth: { passthrough: {} } }
    - { name: '*', provider: openAI, params: { hostOverride: "${host}", apiKey: of-the-gateway } }
`

/** Every place where clients put credentials. */
const headers = {
  authorization: 'Bearer secret-1',
  'x-api-key': 'secret-2',
  'x-goog-api-key': 'secret-3',
  'api-key': 'secret-4',
  'proxy-authorization': 'Basic secret-5',
  cookie: 'session=secret-6',
  // Spellings that CGI, WSGI and PHP treat as equal to those above.
  X_Api_Key: 'secret-8',
  'x_api-key': 'secret-8',
  X_Goog_Api_Key: 'secret-8',
  Api_Key: 'secret-8',
  'Ocp-Apim-Subscription-Key': 'secret-8',
  // Fields that name the account.
  'OpenAI-Organization': 'secret-9',
  'OpenAI-Project': 'secret-9',
  OpenAI_Project: 'secret-9',
  'x-goog-user-project': 'secret-9',
  'anthropic-workspace-id': 'secret-9',
}
const queries = [
  '?key=secret-7',
  '?key=secret-7&user=me',
  '?user=me&Key=secret-7',
  '?%6b%65%79=secret-7',
  '?k%65y=secret-7&user=me',
  '?access_token=secret-7',
  '?api_key=secret-7',
  '?key=one&key=secret-7',
  '?api-key=secret-7',
  '?API%2DKEY=secret-7&user=me',
  '?user=me&x-api-key=secret-7&api-key=secret-7',
  '?user=me&a=b;api_key=secret-7',
  '?apikey[]=secret-7',
  '?subscription-key=secret-7',
  '?%E2%84%AAey=secret-7',
  '?$userProject=secret-7&user=me',
]

const secretsIn = ({ path, rawHeaders, bytes }: ProviderCall): RegExpMatchArray | null =>
  [path, ...rawHeaders, bytes.toString()].join('\n').match(/secret-\d/g)

suite('credentials of a client', () => {
  const gateway = recordedGateway(configuration)

  for (const model of ['keyed', 'anthropic', 'google', 'keyless', 'signed'])
    for (const format of clientFormats)
      test(`are not sent to ${model}, from ${format.name}`, async () => {
        for (const query of queries) {
          gateway.provider.calls.length = 0
          const { status } = await callModel(gateway.origin, format, model, { headers, query })
          // What cannot be translated is refused before any call.
          assert.equal(gateway.provider.calls.length, status === 400 ? 0 : 1)
          for (const call of gateway.provider.calls) {
            assert.equal(secretsIn(call), null, query)
            if (query.includes('user=me')) assert.match(call.path, /[?&]user=me/)
          }
        }
      })

  test('are not sent with passthrough requests', async () => {
    for (const path of ['/v1/images/generations', '/v1/files', '/v1/batches/b/cancel', '/whatever'])
      for (const query of queries) {
        gateway.provider.calls.length = 0
        await callModel(gateway.origin, { ...completions, path: () => path }, 'any', { headers, query })
        assert.equal(gateway.provider.calls.length, 1, path)
        for (const call of gateway.provider.calls) {
          assert.equal(secretsIn(call), null, query)
          assert.equal(call.headers.authorization, 'Bearer of-the-gateway')
        }
      }
  })

  test('are replaced by the key of the gateway, in the location of the provider', async () => {
    const keyOf = async (model: string, format = completions) => {
      gateway.provider.calls.length = 0
      await callModel(gateway.origin, format, model, { headers })
      const {
        authorization,
        'x-api-key': anthropic,
        'x-goog-api-key': google,
      } = gateway.provider.calls[0]?.headers ?? {}
      return [authorization, anthropic, google]
    }
    assert.deepEqual(await keyOf('keyed'), ['Bearer of-the-gateway', undefined, undefined])
    assert.deepEqual(await keyOf('anthropic'), [undefined, 'of-the-gateway', undefined])
    assert.deepEqual(await keyOf('google', generateContent), [undefined, undefined, 'AIza-of-the-gateway'])
    assert.deepEqual(await keyOf('keyless'), [undefined, undefined, undefined])
  })

  test('are sent if configured', async () => {
    gateway.provider.calls.length = 0
    await callModel(gateway.origin, completions, 'passing', { headers })
    assert.equal(gateway.provider.calls[0]?.headers.authorization, 'Bearer secret-1')
  })
})

import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { suite, test } from 'node:test'
import { callModel, assertRefused, clientFormats, completions } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: forbidden, provider: openAI, params: { hostOverride: "${host}" }, authorization: { rules: [{ deny: "true" }] } }
    - { name: any, provider: openAI, params: { hostOverride: "${host}" } }
`

/** Duplicate fields that parsers interpret differently. */
const twice: readonly (readonly [string, (body: string) => string])[] = [
  ['model', (body) => body.replace('{', '{"model":"forbidden",')],
  ['model', (body) => body.replace(/\}$/, ',"model":"forbidden"}')],
  ['model', (body) => body.replace('{', '{"\\u006dodel":"forbidden",')],
  ['stream', (body) => body.replace('{', '{"stream":true,"stream":false,')],
  ['messages', (body) => body.replace('{', '{"messages":[],').replace(/\}$/, ',"messages":[{}]}')],
  ['x', (body) => body.replace('{', '{"x":1,"x":1,')],
]

suite('a duplicate field', () => {
  const gateway = recordedGateway(configuration)

  const named = clientFormats.filter(({ path }) => !path('MODEL').includes('MODEL'))

  for (const format of [...named, { ...completions, name: 'images', path: () => '/v1/images/generations' }])
    for (const [field, change] of twice)
      test(`is refused: ${format.name}, ${change('{}')}`, async () => {
        gateway.provider.calls.length = 0
        const body = change(JSON.stringify({ ...format.body('any'), messages: undefined }))
        const repeated = field === 'model' || body.match(new RegExp(`"${field}"`, 'g'))?.length === 2
        assert.ok(repeated)
        const said = `LLM request body must be valid JSON: it has the field "${field}" twice`
        assertRefused(await callModel(gateway.origin, format, 'any', { body }), format, {
          status: 400,
          code: 'invalid_request_body',
          message: said,
        })
        assert.equal(gateway.provider.calls.length, 0)
      })

  const images = { ...completions, path: () => '/v1/images/edits' }

  for (const [name, headers, body] of [
    ['a type that is none of JSON', { 'content-type': 'text/plain' }, '{"model":"forbidden"}'],
    ['no type that anybody knows', { 'content-type': 'x/y' }, ' \n{"model":"forbidden"}'],
    [
      'an encoding around it',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      gzipSync('{"model":"forbidden"}'),
    ],
    ['a type in capitals', { 'content-type': 'Application/JSON' }, '{"model":"forbidden"}'],
    [
      'a form of any spelling',
      { 'content-type': 'Multipart/Form-Data; boundary=xx' },
      '--xx\r\ncontent-disposition:form-data;name=model\r\n\r\nforbidden\r\n--xx--\r\n',
    ],
  ] as const)
    test(`cannot hide a forbidden model behind ${name}`, async () => {
      gateway.provider.calls.length = 0
      const { status, text } = await callModel(gateway.origin, images, '', { headers, body })
      assert.equal(status, 403, text)
      assert.equal(gateway.provider.calls.length, 0)
    })

  test('cannot hide behind JSON that is too long to inspect', async () => {
    gateway.provider.calls.length = 0
    const body = `{"model":"any","padding":"${'x'.repeat(3_000_000)}","model":"forbidden"}`
    for (const type of ['application/json', 'text/plain']) {
      const { status } = await callModel(gateway.origin, images, '', {
        headers: { 'content-type': type },
        body,
      })
      assert.equal(status, 413)
    }
    assert.equal(gateway.provider.calls.length, 0)
  })

  const field = (name: string, value: string) =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const form = { 'content-type': 'multipart/form-data; boundary=xx' }

  for (const paddingBytes of [0, 3_000_000])
    test(`is refused in forms, with ${paddingBytes} bytes in between`, async () => {
      gateway.provider.calls.length = 0
      const body = `${field('model', 'any')}${field('file', 'x'.repeat(paddingBytes))}${field('model', 'forbidden')}--xx--\r\n`
      const { status, text } = await callModel(gateway.origin, images, '', { headers: form, body })
      assert.equal(status, 400, text)
      // Most of a longer one is already forwarded, and is aborted.
      if (paddingBytes === 0) assert.match(text, /must be unambiguous: it has the field \\"model\\" twice/)
      assert.equal(gateway.provider.calls.length, 0)
      assert.equal((await callModel(gateway.origin, completions, 'any')).status, 200)
    })

  test('further down is left to the provider', async () => {
    const body = '{"model":"any","messages":[{"role":"user","content":"a","content":"b"}]}'
    const { status } = await callModel(gateway.origin, completions, '', { body })
    assert.equal(status, 200)
    assert.equal(gateway.provider.calls.at(-1)?.bytes.toString(), body)
  })
})

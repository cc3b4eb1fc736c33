import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { GuardFailure, type GuardPhase } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { webhookClient, texts, webhook } from './webhook-client.ts'

const document = parse(readFileSync('docs/reference/guardrail-webhook.openapi.yaml', 'utf8')) as {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>
}
interface Operation {
  readonly requestBody: Content
  readonly responses: Readonly<Record<string, Content>>
}
interface Content {
  readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } }
}

const ajv = new Ajv2020({ strict: false })
ajv.addSchema(document, 'contract')

const schemasOf = (phase: GuardPhase): { request: ValidateFunction; response: ValidateFunction } => {
  const { post } = document.paths[`/${phase}`] ?? assert.fail('no such path')
  const schema = ({ content }: Content) => {
    const { $ref } = content['application/json'].schema
    return ajv.getSchema(`contract${$ref}`) ?? assert.fail($ref)
  }
  return { request: schema(post.requestBody), response: schema(post.responses['2XX'] ?? assert.fail('2XX')) }
}

const SHOWN = {
  request: texts('system: be kind', 'user: hi'),
  response: texts('assistant: a', 'assistant: b'),
}

const bodyOf = (phase: GuardPhase, change: (message: Record<string, unknown>) => unknown = (one) => one) => {
  const messages = SHOWN[phase].map(({ role, text }) => change({ role, content: text }))
  return phase === 'request' ? { messages } : { choices: messages.map((message) => ({ message })) }
}

/** Valid and invalid responses of a phase, except for wrong numbers or roles, which a schema cannot express. */
const answers = (phase: GuardPhase): unknown[] => [
  ...[{}, { reason: 'r' }, { reason: null }, { reason: 1 }, { verdict: 'pass' }, null, 'pass', [], true],
  ...[{ body: bodyOf(phase) }, { body: bodyOf(phase), reason: 'r' }, { body: bodyOf(phase), more: 1 }],
  ...[{ body: bodyOf(phase), reason: 2 }, { body: bodyOf(phase === 'request' ? 'response' : 'request') }],
  ...[
    { body: bodyOf(phase, ({ role }) => ({ role })) },
    { body: bodyOf(phase, ({ content }) => ({ content })) },
  ],
  ...[{ body: bodyOf(phase, (one) => ({ ...one, content: null })) }, { body: bodyOf(phase, () => 'hi') }],
  ...[{ body: bodyOf(phase, (one) => ({ ...one, id: 7 })) }, { body: {} }, { body: null }, { body: [] }],
  ...[{ body: { messages: [] } }, { body: { choices: [] } }, { body: { messages: 'x', choices: 'x' } }],
  ...[{ body: 'no' }, { status_code: 403 }, { body: 'no', reason: 'r' }, { body: 5, status_code: 403 }],
  ...[199, 200, 403, 599, 600, 403.5, '403', null].map((status_code) => ({ body: 'no', status_code })),
  { body: '', status_code: 451, reason: 'r', more: [] },
]

for (const phase of ['request', 'response'] as const)
  test(`the contract of a webhook in the ${phase} phase`, async (t) => {
    const { request, response } = schemasOf(phase)
    let said: unknown
    await using hook = await webhook((_, res) => res.end(JSON.stringify(said)))
    await using guard = webhookClient(hook.port)

    await t.test('describes the callout', async () => {
      said = { action: {} }
      await guard.check(SHOWN[phase], { phase })
      const asked = hook.received.at(-1) ?? assert.fail('nothing was asked')
      assert.ok(request(JSON.parse(asked.body)), ajv.errorsText(request.errors))
      assert.equal(asked.path, `/${phase}`)
      assert.ok(document.paths[asked.path])
    })

    const cases = [{}, { actions: {} }, [], 'pass', 7, ...answers(phase).map((action) => ({ action }))]
    for (const one of cases)
      await t.test(`agrees on ${JSON.stringify(one)}`, async () => {
        said = one
        const isTaken = await guard.check(SHOWN[phase], { phase }).then(
          () => true,
          (error: unknown) => {
            assert.ok(error instanceof GuardFailure)
            return false
          },
        )
        assert.equal(isTaken, response(one), ajv.errorsText(response.errors))
      })
  })

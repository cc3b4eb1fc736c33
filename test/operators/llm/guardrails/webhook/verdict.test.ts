import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  GuardFailure,
  type GuardPhase,
  type GuardVerdict,
} from '../../../../../src/operators/llm/guardrails/guard.ts'
import { verdictOf } from '../../../../../src/operators/llm/guardrails/webhook/verdict.ts'
import type { GuardRejection } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { Headers } from '../../../../../src/model/exchange/headers.ts'
import { texts } from './webhook-client.ts'

const SHOWN = texts('system: be kind', 'user: my secret')
const NO_HEADERS: GuardRejection['headers'] = { add: [], set: [], remove: [] }

interface More {
  readonly status?: number
  readonly phase?: GuardPhase
  readonly shown?: typeof SHOWN
  readonly rejectionHeaders?: GuardRejection['headers']
}

const said = (
  body: unknown,
  { status = 200, phase = 'request', shown = SHOWN, rejectionHeaders = NO_HEADERS }: More = {},
): GuardVerdict => {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return verdictOf({ status, headers: new Headers(), body: bytes }, { phase, texts: shown, rejectionHeaders })
}
const saidAction = (action: unknown, more?: More) => said({ action }, more)

const message = (role: unknown, content: unknown) => ({ role, content })
const MASKED = [message('system', 'be kind'), message('user', 'my ****')]

test('an action of a webhook', async (t) => {
  await t.test('allows everything if it is empty, or has only a reason', () => {
    assert.equal(saidAction({}), undefined)
    assert.equal(saidAction({ reason: 'fine' }), undefined)
    assert.equal(saidAction({ reason: null }), undefined)
    assert.equal(said('{"action":{},"version":2}', { status: 204 + 2 }), undefined)
  })

  await t.test('replaces the texts of the request', () => {
    const verdict = saidAction({ body: { messages: MASKED }, reason: 'secrets' })
    assert.deepEqual(verdict, { action: 'mask', texts: ['be kind', 'my ****'], reason: 'secrets' })
  })

  await t.test('replaces the texts of the response', () => {
    const choices = [{ message: message('assistant', '****') }]
    const verdict = saidAction({ body: { choices } }, { phase: 'response', shown: texts('assistant: x') })
    assert.deepEqual(verdict, { action: 'mask', texts: ['****'], reason: undefined })
  })

  await t.test('rejects with its status and its body', () => {
    for (const status of [200, 403, 599])
      assert.deepEqual(saidAction({ body: 'no', status_code: status, reason: 'because' }), {
        action: 'reject',
        rejection: { status, body: 'no', headers: { add: [], set: [], remove: [] } },
        reason: 'because',
      })
  })

  await t.test('rejects with headers that are configured', () => {
    const rejectionHeaders = { add: [], set: [['Content-Type', 'text/html']], remove: ['x-a'] } as const
    const verdict = saidAction({ body: '', status_code: 403 }, { rejectionHeaders })
    assert.deepEqual(verdict?.action === 'reject' && verdict.rejection.headers, rejectionHeaders)
  })

  const wrong: Record<string, [answer: () => GuardVerdict, message: string]> = {
    'status 500 with an action': [() => said({ action: {} }, { status: 500 }), 'answered with status 500'],
    'status 500 with a reason': [
      () => said({ action: { reason: 'no\r\nroom' } }, { status: 500 }),
      'answered with status 500: no room',
    ],
    'a redirect': [() => said('', { status: 307 }), 'answered with status 307'],
    'status 199': [() => said({ action: {} }, { status: 199 }), 'answered with status 199'],
    'no JSON': [() => said('pass'), 'answered with something else than JSON'],
    nothing: [() => said(''), 'answered with something else than JSON'],
    'half of it': [() => said('{"action":{'), 'answered with something else than JSON'],
    'no UTF-8': [
      () => said(Buffer.from('{"action":{"reason":"\xff"}}', 'latin1')),
      'answered with something else than JSON',
    ],
    'an action by itself': [() => said({}), 'answered without an action'],
    'a list': [() => said([{ action: {} }]), 'answered without an action'],
    'an action that is null': [() => saidAction(null), 'answered without an action'],
    'an action that is a string': [() => saidAction('pass'), 'answered without an action'],
    'an action that is a list': [() => saidAction([]), 'answered without an action'],
    'a rejection without a status': [
      () => saidAction({ body: 'no', reason: 'bad' }),
      'answered with a rejection without a status_code from 200 to 599: bad',
    ],
    'a status without a body': [
      () => saidAction({ status_code: 403 }),
      'answered with an action of unknown shape',
    ],
    'a body that is null': [() => saidAction({ body: null }), 'answered with an action of unknown shape'],
    'a body that is a list': [() => saidAction({ body: MASKED }), 'answered with an action of unknown shape'],
    'an unknown member': [() => saidAction({ blocked: true }), 'answered with an action of unknown shape'],
    'a reason that is none': [() => saidAction({ reason: 1 }), 'answered with a reason that is no text'],
    'an empty body': [() => saidAction({ body: {} }), 'answered with a body without messages'],
    'the body of the other phase': [
      () => saidAction({ body: { choices: MASKED.map((one) => ({ message: one })) } }),
      'answered with a body without messages',
    ],
    'messages in the response phase': [
      () => saidAction({ body: { messages: MASKED } }, { phase: 'response' }),
      'answered with a body without choices',
    ],
    'two actions': [
      () => said('{"action":{"body":"no","status_code":403},"action":{}}'),
      'answered with two members of one name',
    ],
    'a status and another': [
      () => said('{"action":{"body":"no","status_code":403,"status\\u005fcode":200}}'),
      'answered with two members of one name',
    ],
    'fewer texts': [
      () => saidAction({ body: { messages: MASKED.slice(1) } }),
      'answered with 1 texts where 2 were shown',
    ],
    'more texts': [
      () => saidAction({ body: { messages: [...MASKED, message('user', 'x')] } }),
      'answered with 3 texts where 2 were shown',
    ],
    'other roles': [
      () => saidAction({ body: { messages: [...MASKED].reverse() } }),
      'answered with messages of other roles',
    ],
    'a message without a role': [
      () => saidAction({ body: { messages: MASKED.map(({ content }) => ({ content })) } }),
      'answered with messages of other roles',
    ],
    'content in parts': [
      () => saidAction({ body: { messages: MASKED.map(({ role }) => message(role, [{ type: 'text' }])) } }),
      'answered with a message without a text',
    ],
    'choices without messages': [
      () => saidAction({ body: { choices: MASKED } }, { phase: 'response' }),
      'answered with a message without a text',
    ],
  }
  for (const status of [199, 600, 403.5, '403', null, true])
    wrong[`status_code ${JSON.stringify(status)}`] = [
      () => saidAction({ body: 'no', status_code: status }),
      'answered with a rejection without a status_code from 200 to 599',
    ]
  for (const [what, [answer, message]] of Object.entries(wrong))
    await t.test(`is invalid: ${what}`, () => {
      assert.throws(answer, (error) => error instanceof GuardFailure && error.message === message)
    })

  await t.test('truncates the reason', () => {
    assert.throws(() => saidAction({ reason: 'y'.repeat(1_000) }, { status: 400 }), {
      message: `answered with status 400: ${'y'.repeat(256)}`,
    })
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  capabilityNeeded,
  inputRequestsOf,
  inputRequired,
  inputResponsesOf,
  isInputRequired,
  missingCapability,
  requestStateOf,
} from '../../../src/protocols/mcp/input-required.ts'

test('an input_required result', async (t) => {
  const ask = { method: 'elicitation/create', params: { message: 'Who?' } }

  await t.test('has the input requests and the state', () => {
    assert.deepEqual(inputRequired({ who: ask }, 's'), {
      resultType: 'input_required',
      inputRequests: { who: ask },
      requestState: 's',
    })
    assert.deepEqual(inputRequired({}, 's'), { resultType: 'input_required', requestState: 's' })
    assert.deepEqual(inputRequired({ who: ask }, undefined), {
      resultType: 'input_required',
      inputRequests: { who: ask },
    })
    assert.ok(isInputRequired(inputRequired(undefined, 's')))
    assert.ok(!isInputRequired({ resultType: 'complete' }) && !isInputRequired({}))
  })

  await t.test('is decoded', () => {
    assert.deepEqual(
      inputRequestsOf(inputRequired({ who: ask, roots: { method: 'roots/list' } }, 's')),
      new Map<string, unknown>([
        ['who', ask],
        ['roots', { method: 'roots/list', params: undefined }],
      ]),
    )
    assert.deepEqual(inputRequestsOf({ resultType: 'input_required' }), new Map())
  })

  await t.test('is refused if it is malformed', () => {
    for (const odd of [null, [], 'x', { a: null }, { a: { method: 1 } }, { a: { method: 'm', params: [] } }])
      assert.equal(inputRequestsOf({ inputRequests: odd }), undefined)
  })

  await t.test('is followed by a retry with responses and state', () => {
    const retry = { name: 'a', inputResponses: { who: { action: 'accept' }, odd: 7 }, requestState: 's' }
    assert.deepEqual(inputResponsesOf(retry), new Map([['who', { action: 'accept' }]]))
    assert.equal(requestStateOf(retry), 's')
    for (const none of [undefined, {}, { inputResponses: [], requestState: 7 }]) {
      assert.equal(inputResponsesOf(none).size, 0)
      assert.equal(requestStateOf(none), undefined)
    }
  })
})

test('a client capability', async (t) => {
  await t.test('is required by each of the three input requests', () => {
    assert.deepEqual(capabilityNeeded('elicitation/create'), { elicitation: { form: {} } })
    assert.deepEqual(capabilityNeeded('elicitation/create', { mode: 'form' }), { elicitation: { form: {} } })
    assert.deepEqual(capabilityNeeded('elicitation/create', { mode: 'url' }), { elicitation: { url: {} } })
    assert.deepEqual(capabilityNeeded('sampling/createMessage', {}), { sampling: {} })
    assert.deepEqual(capabilityNeeded('sampling/createMessage', { tools: [] }), { sampling: { tools: {} } })
    assert.deepEqual(capabilityNeeded('roots/list'), { roots: {} })
    assert.equal(capabilityNeeded('tools/call'), undefined)
  })

  await t.test('is missing unless it is declared, with its details', () => {
    const form = { elicitation: { form: {} } }
    const url = { elicitation: { url: {} } }
    const tools = { sampling: { tools: {} } }
    const both = { elicitation: { form: {}, url: {} } }
    assert.equal(missingCapability(both, url), undefined)
    assert.equal(missingCapability({ elicitation: {} }, form), undefined)
    assert.equal(missingCapability({ sampling: { tools: {} } }, tools), undefined)
    assert.equal(missingCapability({ sampling: {} }, { sampling: {} }), undefined)
    assert.deepEqual(missingCapability({ elicitation: {} }, url), url)
    assert.deepEqual(missingCapability(url, form), form)
    assert.deepEqual(missingCapability(form, both), url)
    assert.deepEqual(missingCapability({ sampling: {} }, tools), tools)
    assert.deepEqual(missingCapability(undefined, { roots: {} }), { roots: {} })
    assert.deepEqual(missingCapability({ roots: true }, { roots: {} }), { roots: {} })
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastValueFrom, of } from 'rxjs'
import type { McpPhase } from '../../../../src/operators/mcp/guardrails/schema.ts'
import type { McpGuards } from '../../../../src/operators/mcp/guardrails/mcp-guardrails.ts'
import { runProcessors } from '../../../../src/operators/mcp/guardrails/run-processors.ts'
import type { JsonObject, Outcome } from '../../../../src/protocols/json-rpc/message.ts'
import { exchange } from '../../../../src/testing/index.ts'

const no = { error: { code: -32001, message: 'no' } }
const changed = { params: { a: 2 }, result: { b: 2 } }

/** The end of a call, and the guards that ran. */
const run = async (
  phase: McpPhase,
  says: { readonly request?: object; readonly response?: object } = {},
  outcome: Outcome = { result: { b: 1 } },
): Promise<readonly [Outcome, ...string[]]> => {
  const log: string[] = []
  const guards: McpGuards = {
    concerns: () => phase,
    request: (_, params, __, servers) => {
      log.push(`request ${JSON.stringify(params)} ${String(servers)}`)
      return Promise.resolve(says.request ?? {})
    },
    response: (_, result, __, servers) => {
      log.push(`response ${JSON.stringify(result)} ${String(servers)}`)
      return Promise.resolve(says.response ?? {})
    },
  }
  const call = (params: JsonObject | undefined) => {
    log.push(`ask ${JSON.stringify(params)}`)
    return of(outcome)
  }
  const request = { x: exchange(), method: 'tools/call', params: { a: 1 }, servers: ['files', 'mail'] }
  return [await lastValueFrom(runProcessors(guards, request, call)), ...log]
}

test('gives a guard the parts that it needs', async () => {
  const end = { result: { b: 1 } }
  const request = 'request {"a":1} files,mail'
  const response = 'response {"b":1} files,mail'
  assert.deepEqual(await run('off'), [end, 'ask {"a":1}'])
  assert.deepEqual(await run('request'), [end, request, 'ask {"a":1}'])
  assert.deepEqual(await run('response'), [end, 'ask {"a":1}', response])
  assert.deepEqual(await run('full'), [end, request, 'ask {"a":1}', response])
})

test('applies the changes of a guard', async () => {
  assert.deepEqual(await run('full', { request: changed, response: changed }), [
    { result: { b: 2 } },
    'request {"a":1} files,mail',
    'ask {"a":2}',
    'response {"b":1} files,mail',
  ])
})

test('runs no guard after a refusal', async () => {
  assert.deepEqual(await run('full', { request: no }), [no, 'request {"a":1} files,mail'])
  assert.deepEqual((await run('response', { response: no }))[0], no)
})

test('does not run guards for errors of servers', async () => {
  assert.deepEqual(await run('response', {}, no), [no, 'ask {"a":1}'])
})

test('runs the call at once without guards', async () => {
  const request = { x: exchange(), method: 'm', params: undefined, servers: [] }
  assert.deepEqual(await lastValueFrom(runProcessors(undefined, request, () => of(no))), no)
})

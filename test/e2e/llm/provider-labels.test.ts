import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { complete } from '../../support/llm/client-formats.ts'
import { completion } from '../../support/llm/completions-stream.ts'
import { json } from '../../support/llm/scripted-providers.ts'
import { withProviders } from '../../support/llm/with-providers.ts'

test('calls to a provider at another host, and to the mock, have the labels of LLM calls', async () => {
  const scripts = { far: json(200, completion('hi')), down: json(503, { error: { message: 'no' } }) }
  const more = `frontendPolicies:
  accessLog:
    add: { called: 'backend.name + " " + backend.type + " " + backend.protocol' }`
  await using all = await withProviders(scripts, { more })
  for (const [model, status] of [
    ['far', 200],
    ['down', 503],
    ['mock', 200],
  ] as const) {
    assert.equal((await complete(all.origin, model)).status, status)
    await all.daemon.printed(new RegExp(`protocol=llm .*request.model=${model} .*called="?${model} ai llm`))
  }
  const { text } = await sendRequest(all.daemon.url('stats'), '/metrics')
  const of = (metric: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`agentgateway_${metric}{`))
      .map((line) => /(?:backend|subtype)="([^"]*)"(?:,protocol="([^"]*)")?/.exec(line)?.slice(1))
  assert.deepEqual(of('requests_total'), [
    ['far', 'llm'],
    ['down', 'llm'],
    ['mock', 'llm'],
  ])
  assert.deepEqual(of('upstream_call_duration_seconds_count'), [['Llm', undefined]])
})

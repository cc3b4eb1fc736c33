import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

/** Names of series in an expression of Prometheus, with the labels it groups by. */
const usedBy = (expr: string) => ({
  series: [...expr.matchAll(/\bagentgateway_\w+/g)].map(([name]) => name),
  labels: [...expr.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, names = '']) => names.split(', ')),
})

test('examples/alert-on-cost', async (t) => {
  await using daemon = await startExample('alert-on-cost')
  const chat = (model: string) => {
    const content = 'mock:usage 40000 20000'
    return sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer support-key' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    })
  }

  await t.test('refuses calls of a team that has used its tokens', async () => {
    const statuses: number[] = []
    for (const model of ['large', 'trial', 'large']) statuses.push((await chat(model)).status)
    assert.deepEqual(statuses, [200, 200, 429])
  })

  await t.test('logs the cost', async () => {
    await daemon.printed(/gen_ai\.request\.model=large .*agw\.ai\.usage\.cost\.total=1\.4 /)
  })

  await t.test('counts cost, and calls without a price, by team', async () => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    const samples = text.split('\n').filter((line) => line.includes('team="support"'))
    const sample = (name: string, label: string) =>
      samples
        .filter((line) => line.startsWith(`${name}{`) && line.includes(label))
        .map((line) => /\S+$/.exec(line)?.[0])
    assert.deepEqual(
      [
        sample('agentgateway_gen_ai_client_cost_usd_total', 'gen_ai_request_model="large"'),
        sample('agentgateway_gen_ai_client_cost_usd_total', 'gen_ai_request_model="trial"'),
        sample('agentgateway_cost_catalog_lookups_total', 'status="Exact"'),
        sample('agentgateway_cost_catalog_lookups_total', 'status="Missing"'),
        sample('agentgateway_requests_total', 'reason="RateLimit"'),
      ],
      [['1.4'], [], ['1'], ['1'], ['1']],
    )
    const { groups } = parse(readFileSync('examples/alert-on-cost/alerts.yml', 'utf8')) as Rules
    const rules = groups.flatMap((group) => group.rules)
    assert.equal(rules.length, 3)
    for (const { alert, expr } of rules) {
      const { series, labels } = usedBy(expr)
      const found = samples.filter((line) => series.some((name) => line.startsWith(`${name}{`)))
      assert.ok(found.length > 0, `${alert} has series`)
      for (const label of labels)
        assert.ok(
          found.every((line) => line.includes(`${label}="`)),
          `${alert} ${label}`,
        )
    }
  })
})

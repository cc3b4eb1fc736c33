import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

interface Event {
  readonly message: { readonly kind?: string; readonly result?: { readonly details?: string } }
}

test('examples/who-is-limited', async (t) => {
  await using weather = await startUpstream((_, response) => response.end('sunny'))
  await using daemon = await startExample('who-is-limited', { WEATHER: weather.host, LOG_FORMAT: 'json' })
  const get = (key: string) => sendRequest(daemon.url('default'), '/', { headers: { 'x-api-key': key } })

  await t.test('limits callers by their plan, and informs them', async () => {
    for (let i = 0; i < 3; i++) assert.equal((await get('guest-key')).status, 200)
    const { status, headers } = await get('guest-key')
    assert.deepEqual(
      [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
      [429, '3', '0'],
    )
    assert.match(String(headers['retry-after']), /^\d+$/)
    assert.equal((await get('sailor-key')).status, 200)
  })

  await t.test('logs the team with the code', async () => {
    const [line] = await daemon.printed(/^\{.*"rate_limited".*\}$/m)
    const { code, reason, route, 'caller.team': team } = JSON.parse(line) as Record<string, string>
    assert.deepEqual([code, reason, route, team], ['rate_limited', 'RateLimit', 'default/weather', 'guests'])
  })

  await t.test('counts limited requests by team', async () => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    const limited = text
      .split('\n')
      .filter((line) => /^agentgateway_requests_total.*reason="RateLimit"/.test(line))
    assert.equal(limited.length, 1)
    assert.match(
      limited[0]!,
      /^agentgateway_requests_total\{.*status="429",reason="RateLimit",.*route="default\/weather",.*team="guests".*\} 1/,
    )
  })

  await t.test('traces the verdict of the limit', async () => {
    const expression = encodeURIComponent('request.headers["x-api-key"] == "guest-key"')
    const trace = (await fetch(`${daemon.url('admin')}/debug/trace?expression=${expression}`)).text()
    await get('sailor-key')
    await get('guest-key')
    const verdicts = (await trace)
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => (JSON.parse(line.slice('data: '.length)) as Event).message)
      .filter(({ kind }) => kind === 'local_rate_limit')
      .map(({ result }) => result?.details)
    assert.equal(verdicts.length, 1)
    assert.match(String(verdicts[0]), /^refused for \d+ s$/)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { sendRequest } from '../support/send-request.ts'
import { startUpstream } from '../support/upstream.ts'

/** The labels of each series of a counter, without those of its route. */
const seriesOf = async (daemon: Daemon, name = 'agentgateway_requests_total') => {
  const { text } = await sendRequest(daemon.url('stats'), '/metrics')
  return [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\d+)`, 'gm'))]
    .map(([, labels = '', value]) => {
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [
        label ?? '',
        text ?? '',
      ])
      const all = Object.fromEntries(pairs) as Record<string, string>
      assert.equal(pairs.length, Object.keys(all).length, `a label twice: ${labels}`)
      const { listener, route, team, tier, page, status } = all
      return JSON.parse(
        JSON.stringify({ listener, route, status, team, tier, page, value: Number(value) }),
      ) as Record<string, unknown>
    })
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

const configuration = (host: string, policy: string) => `${anyPorts}
  metrics: { fields: { add: { team: '"process"', tier: '"gold"' } } }
  sensitiveHeaders: [x-secret]
gateways:
  web:
    port: 0
    address: 127.0.0.1
    listeners: [{ name: a, hostname: a.test }, { name: b, hostname: b.test }]
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
routes: [{ name: all, gateways: web, policies: { directResponse: { status: 200 } } }]
tcpRoutes: [{ name: tcp, gateways: raw, backends: [{ host: "${host}" }] }]
policies:
  - name: { name: labels }
    target: { gateway: { gatewayName: web, listenerName: a } }
    policy: { frontend: { metrics: { add: ${policy} } } }
  - name: { name: raw }
    target: { gateway: { gatewayName: raw } }
    policy: { frontend: { metrics: { add: { page: source.address, tier: request.path } } } }
`

suite('labels that frontend policies add to metrics', () => {
  test('are those of the listener beside those of the process, which they may replace', async () => {
    await using upstream = await startUpstream((_, res) => res.end())
    await using daemon = await startDaemon(
      configuration(
        upstream.host,
        `{ team: 'request.headers["x-team"]', page: 'request.path + request.headers["x-secret"]' }`,
      ),
    )
    const get = (host: string, team: string) =>
      sendRequest(daemon.url('web'), '/p', {
        headers: { host, 'x-team': team, 'x-secret': 'hunter2-hunter2' },
      })
    for (const team of ['blue', 'blue', 'red"\\']) await get('a.test', team)
    await get('b.test', 'blue')
    using client = await RawClient.to(Number(new URL(daemon.url('raw')).port))
    client.send('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    await client.end()
    client.socket.destroy()
    await daemon.printed(/protocol=tcp/)
    const all = await seriesOf(daemon)
    const page = '/p<redacted>'
    assert.deepEqual(
      all.map((one) => [one.listener, one.team, one.tier, one.page, one.value]),
      [
        ['a', 'blue', 'gold', page, 2],
        ['a', 'red\\', 'gold', page, 1],
        ['b', 'process', 'gold', undefined, 1],
        ['raw', 'process', 'unknown', '127.0.0.1', 1],
      ],
    )
    for (const name of ['agentgateway_request_duration_seconds_count', 'agentgateway_response_bytes_total'])
      assert.equal((await seriesOf(daemon, name)).length, 4, name)
  })

  test('follow a reload, while those of the process need a restart', async () => {
    await using upstream = await startUpstream((_, res) => res.end())
    await using daemon = await startDaemon(configuration(upstream.host, `{ page: '"one"' }`))
    const get = () => sendRequest(daemon.url('web'), '/p', { headers: { host: 'a.test' } })
    await get()
    daemon.rewrite(configuration(upstream.host, `{ page: '"two"' }`))
    await daemon.printed(/configuration in force[^]*configuration in force/)
    await get()
    assert.deepEqual(
      (await seriesOf(daemon)).map(({ page, value }) => [page, value]),
      [
        ['one', 1],
        ['two', 1],
      ],
    )
  })
})

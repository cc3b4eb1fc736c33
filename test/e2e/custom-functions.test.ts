import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'

const configuration = (definitions: string): string => `${anyPorts}
  customFunctions: |
    ${definitions}
  metrics: { fields: { add: { team: teamOf() } } }
frontendPolicies:
  accessLog: { filter: isTeam("blue"), add: { team: '"team " + teamOf()' } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - policies:
      authorization: { rules: [{ deny: '!isTeam("blue")' }] }
      transformations: { response: { set: { x-team: teamOf(), x-pod: 'env.podName + "@" + env.namespace + "/" + env.gateway' } } }
      directResponse: { status: 200, bodyExpression: 'string(size(request.body)) + teamOf()' }
`

const reloaded = async (daemon: Daemon, definitions: string, outcome: RegExp): Promise<void> => {
  const count = () => daemon.output().match(outcome)?.length ?? 0
  const before = count()
  daemon.rewrite(configuration(definitions))
  while (count() === before) await setTimeout(10)
}

test('custom functions of a configuration', async (t) => {
  const taken = /configuration in force/g
  await using daemon = await startDaemon(
    configuration('teamOf() { request.headers["x-team"] } isTeam(team) { teamOf() == team }'),
    { env: { POD_NAME: 'gw-1', NAMESPACE: 'prod', GATEWAY: 'edge' } },
  )
  await daemon.printed(taken)
  const from = (team: string) =>
    sendRequest(daemon.url('default'), '/', { method: 'POST', body: 'abc', headers: { 'x-team': team } })

  await t.test('can be used in rules, transformations and direct responses', async () => {
    const { status, headers, text } = await from('blue')
    assert.deepEqual([status, headers['x-team'], text], [200, 'blue', '3blue'])
    assert.equal(headers['x-pod'], 'gw-1@prod/edge')
    assert.equal((await from('red')).status, 403)
  })

  await t.test('can be used in the access log and in metrics', async () => {
    await daemon.printed(/"?team"?[=:]"team blue"/)
    assert.doesNotMatch(daemon.output(), /team red/)
    assert.match(
      await (await fetch(`${daemon.url('stats')}/metrics`)).text(),
      /requests_total\{[^}]*team="blue"/,
    )
  })

  await t.test('can be used in trace filters', async () => {
    const watching = await fetch(`${daemon.url('admin')}/debug/trace?expression=isTeam("blue")`)
    await from('red')
    await from('blue')
    const events = await watching.text()
    assert.equal(events.split('"requestFinished"').length - 1, 1)
    const wrong = await fetch(`${daemon.url('admin')}/debug/trace?expression=isTaem()`)
    assert.match(await wrong.text(), /^invalid expression: unknown function "isTaem".*did you mean "isTeam"/)
  })

  await t.test('are reloaded for expressions that stay the same', async () => {
    await reloaded(daemon, 'teamOf() { "all" } isTeam(team) { teamOf() != team }', taken)
    assert.deepEqual([(await from('red')).status, (await from('red')).text], [200, '3all'])
    await daemon.printed(/"?team"?[=:]"team all"/)
  })

  await t.test('keep the last valid configuration in force if they are invalid', async () => {
    await reloaded(
      daemon,
      'teamOf() { isTeam("") ? "" : "" } isTeam(team) { teamOf() != team }',
      /Failed to reload/g,
    )
    await daemon.printed(/teamOf\S+ calls itself by way of \S+isTeam\S+ \(character 50\)/)
    assert.equal((await from('red')).text, '3all')
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'

const environment = (port: number) => ({
  XDS_ADDRESS: `http://127.0.0.1:${port}`,
  NAMESPACE: 'default',
  GATEWAY: 'web',
})

/** What was printed by the time that a number of configurations was in force. */
const printedBy = async (daemon: Daemon, count: number): Promise<string> =>
  (await daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))).input

const warningsIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.includes('a resource of the control plane has a warning'))

const tools = (fields: object, name = 'tools') =>
  xdsResource('backend', name, { name, mcp: { ...fields, targets: [] } })

suite('warnings of what a control plane sends', () => {
  test('are logged once for each version of a resource, with its name', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = portResources(port)
    server.sets.set(GATEWAY, [...base, tools({})])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    const [first = '', ...others] = warningsIn(await printedBy(daemon, 2))
    assert.match(
      first,
      /"?backend\/tools"?.*mcp\.targets: without targets, every request is answered with 503/,
    )
    assert.deepEqual(others, [])

    server.sets.set(GATEWAY, [...base, tools({}), replyRoute('a', 'a')])
    assert.equal(warningsIn(await printedBy(daemon, 3)).length, 1)

    server.sets.set(GATEWAY, [...base, tools({ failureMode: 'failOpen' }), replyRoute('a', 'a')])
    assert.equal(warningsIn(await printedBy(daemon, 4)).length, 2)
  })
  test('are a hundred of an update, and the number of others', async () => {
    await using server = await startXdsServer()
    const many = Array.from({ length: 103 }, (_, i) => tools({}, `tools-${i}`))
    server.sets.set(GATEWAY, [...portResources(await freePort()), ...many])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    const text = await printedBy(daemon, 2)
    assert.equal(warningsIn(text).length, 100)
    assert.match(text, /more warnings of the control plane are not logged.*\b3\b/)
  })
})

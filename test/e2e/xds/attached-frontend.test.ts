import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { xdsResource, type XdsModels } from '../../../src/config/xds/xds-resource.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'
const environment = (port: number) => ({
  XDS_ADDRESS: `http://127.0.0.1:${port}`,
  NAMESPACE: 'default',
  GATEWAY: 'web',
})

/** Resolves when a number of configurations was in force since the start. */
const inForce = (daemon: Daemon, count: number) =>
  daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))

type Policy = XdsModels['policy']

const policy = (name: string, model: Omit<Policy, 'name'>) =>
  xdsResource('policy', `default/${name}`, { name: { name }, ...model })

const ofListener = { gateway: { gatewayName: 'default', listenerName: 'http' } }
const log = (level: string) =>
  policy('log', { target: ofListener, policy: { frontend: { accessLog: { add: { level: `"${level}"` } } } } })

suite('frontend policies of a control plane', () => {
  test('change the log of a listener while a connection stays', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = [...portResources(port), replyRoute('a', 'one')]
    server.sets.set(GATEWAY, base)
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    using agent = new KeptConnection(port)
    const line = async (path: string) => {
      await agent.get(path)
      const [found] = await daemon.printed(new RegExp(`.*http\\.path=${path}.*`))
      return /level=(\w+)/.exec(found)?.[1]
    }
    assert.equal(await line('/a/0'), undefined)
    server.sets.set(GATEWAY, [...base, log('first')])
    await inForce(daemon, 3)
    assert.equal(await line('/a/1'), 'first')
    server.sets.set(GATEWAY, [...base, log('second')])
    await inForce(daemon, 4)
    assert.equal(await line('/a/2'), 'second')
    server.sets.set(GATEWAY, base)
    await inForce(daemon, 5)
    assert.equal(await line('/a/3'), undefined)
    assert.equal(agent.connections, 1)
  })

  test('and policies that override take effect and end with their resource', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = [...portResources(port), replyRoute('a', 'of the route')]
    const ofGateway = (inheritance: 'default' | 'override') =>
      policy('reply', {
        target: { gateway: { gatewayName: 'default' } },
        inheritance,
        policy: { directResponse: { status: 200, body: 'of the gateway' } },
      })
    server.sets.set(GATEWAY, [...base, ofGateway('default')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    using agent = new KeptConnection(port)
    assert.equal(await agent.get('/a'), 'of the route')
    server.sets.set(GATEWAY, [...base, ofGateway('override')])
    await inForce(daemon, 3)
    assert.equal(await agent.get('/a'), 'of the gateway')
    server.sets.set(GATEWAY, base)
    await inForce(daemon, 4)
    assert.equal(await agent.get('/a'), 'of the route')
    assert.equal(agent.connections, 1)
  })

  test('are refused where they cannot apply, and may not write files', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = [...portResources(port), replyRoute('a', 'one')]
    server.sets.set(GATEWAY, base)
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    const refusal = async (model: Omit<Policy, 'name'>) => {
      server.sets.set(GATEWAY, [...base, policy('wrong', model)])
      return (await server.nextRejection()).message
    }
    assert.match(
      await refusal({ target: ofListener, policy: { frontend: { http: {} } } }),
      /policy\/default\/wrong: policy\.frontend\.http: http cannot target a listener/,
    )
    assert.match(
      await refusal({ target: ofListener, policy: { frontend: { accessLog: { file: '/tmp/x' } } } }),
      /policy\.frontend\.accessLog\.file: a control plane cannot name files of this machine/,
    )
  })
})

/** A client that uses one connection as long as it can. */
class KeptConnection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #sockets = new Set<unknown>()
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  get connections(): number {
    return this.#sockets.size
  }

  async get(path: string): Promise<string> {
    const request = get({ host: '127.0.0.1', port: this.#port, path, agent: this.#agent })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    this.#sockets.add(response.socket)
    return text(response)
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

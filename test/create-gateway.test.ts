import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  ConfigError,
  createGateway,
  type Exchange,
  type Gateway,
  type GatewayConfig,
  type Snapshot,
  StartFailure,
  type TraceEvent,
} from 'agentgateway'
import { startUpstream } from './support/upstream.ts'

const listening = (port = 0) => ({ default: { port, address: '127.0.0.1' } })

const forwarding = (host: string): GatewayConfig => ({
  gateways: listening(),
  routes: [{ gateways: 'default', backends: [{ host }] }],
})

const replying = (body: string, port = 0): GatewayConfig => ({
  gateways: listening(port),
  routes: [{ gateways: 'default', policies: { directResponse: { status: 200, body } } }],
})

const urlOf = ({ addresses }: Gateway): string => addresses[0]?.url ?? ''

const textOf = async (gateway: Gateway, path = '/'): Promise<string> =>
  (await fetch(`${urlOf(gateway)}${path}`)).text()

test('an embedded gateway', async (t) => {
  await t.test('proxies, and provides exchanges, trace and snapshots until it is closed', async () => {
    await using upstream = await startUpstream((req, res) => res.end(`hello ${req.url ?? ''}`))
    const gateway = await createGateway(forwarding(upstream.host))
    const exchanges: Exchange[] = []
    const events: TraceEvent[] = []
    const snapshots: Snapshot[] = []
    const completed: string[] = []
    gateway.exchanges$.subscribe({
      next: (x) => exchanges.push(x),
      complete: () => completed.push('exchanges'),
    })
    gateway.trace$.subscribe({ next: (event) => events.push(event), complete: () => completed.push('trace') })
    gateway.snapshots$.subscribe({
      next: (one) => snapshots.push(one),
      complete: () => completed.push('snapshots'),
    })
    assert.match(urlOf(gateway), /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal(await textOf(gateway, '/a'), 'hello /a')
    await gateway.apply(replying('new'))
    assert.equal(await textOf(gateway), 'new')
    await gateway.close()
    assert.deepEqual(
      exchanges.map((x) => [x.request.path, x.reply?.status]),
      [
        ['/a', 200],
        ['/', 200],
      ],
    )
    assert.equal(snapshots.length, 2)
    assert.ok(events.some(({ message }) => message.type === 'backendCallStart'))
    assert.equal(events.filter(({ message }) => message.type === 'requestFinished').length, 2)
    assert.deepEqual(completed.sort(), ['exchanges', 'snapshots', 'trace'])
    await assert.rejects(gateway.apply(replying('late')), /the gateway is closed/)
    await gateway.close()
  })

  await t.test(
    'accepts an object, a text or a file, and reads only the environment that it is given',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
      const file = join(folder, 'gateway.yaml')
      const text = `
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ gateways: default, policies: { directResponse: { status: 200, body: "\${WORD}" } } }]`
      writeFileSync(file, text)
      try {
        for (const config of [text, { file }, replying('${WORD}')]) {
          await using gateway = await createGateway(config, { env: { WORD: 'given' } })
          assert.equal(await textOf(gateway), 'given')
          await assert.rejects(createGateway(config), ConfigError)
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )

  await t.test('rejects what the daemon rejects, with the same errors', async () => {
    const wrong = { gateways: { default: { prt: 1 } } } as unknown as GatewayConfig
    await assert.rejects(createGateway(wrong), {
      name: 'ConfigError',
      message: /gateways\.default\.prt: unknown field\n\s+hint: did you mean "port"\?/,
    })
    await assert.rejects(createGateway({ file: '/nowhere/gateway.yaml' }), /there is no such file/)
  })

  await t.test('rejects a port in use, and leaves nothing open', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port: other } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const two: GatewayConfig = {
      gateways: { ok: { port: other, address: '127.0.0.1' }, ...listening(port) },
    }
    await assert.rejects(
      createGateway(two),
      (error) => error instanceof StartFailure && /cannot listen on .*another process/.test(error.message),
    )
    await assert.rejects(fetch(`http://127.0.0.1:${other}`))
    await using gateway = await createGateway(replying('old'))
    const before = urlOf(gateway)
    await assert.rejects(gateway.apply(replying('new', port)), StartFailure)
    assert.equal(await textOf(gateway), 'old', before)
    taken.close()
  })

  await t.test('keeps its configuration if the next one is invalid', async () => {
    await using gateway = await createGateway(replying('old'))
    const url = urlOf(gateway)
    await assert.rejects(gateway.apply('gateways: {default: {port: many}}'), ConfigError)
    assert.equal(urlOf(gateway), url)
    assert.equal(await textOf(gateway), 'old')
    const [first, second] = [gateway.apply(replying('one')), gateway.apply(replying('two'))]
    await Promise.all([first, second])
    assert.equal(await textOf(gateway), 'two')
  })

  await t.test('fails no request while its configuration changes under load', async () => {
    await using upstream = await startUpstream((_, res) => void pause(5).then(() => res.end('hello')))
    await using gateway = await createGateway(forwarding(upstream.host))
    const url = urlOf(gateway)
    let isOver = false
    const client = async () => {
      const outcomes: string[] = []
      while (!isOver) outcomes.push(await (await fetch(url)).text())
      return outcomes
    }
    const clients = Array.from({ length: 8 }, client)
    for (let i = 0; i < 10; i++) {
      await gateway.apply(i % 2 === 0 ? replying('fixed') : forwarding(upstream.host))
      await pause(30)
    }
    isOver = true
    const outcomes = (await Promise.all(clients)).flat()
    assert.deepEqual([...new Set(outcomes)].sort(), ['fixed', 'hello'])
    assert.equal(urlOf(gateway), url)
  })

  await t.test('coexists with another one in the same process', async () => {
    await using one = await createGateway(replying('one'))
    const two = await createGateway(replying('two'))
    assert.deepEqual([await textOf(one), await textOf(two)], ['one', 'two'])
    await two.close()
    await assert.rejects(fetch(urlOf(two) || 'http://127.0.0.1:1'))
    assert.equal(await textOf(one), 'one')
  })

  await t.test('lets streams end when it is closed, and aborts them at the deadline', async () => {
    await using upstream = await startUpstream((req, res) => {
      res.write('begun ')
      if (req.url === '/slow') void pause(300).then(() => res.end('ended'))
    })
    const open = async (gateway: Gateway, path: string) => {
      const request = get(`${urlOf(gateway)}${path}`, { agent: new Agent() })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      let text = ''
      response.on('data', (chunk: Buffer) => (text += String(chunk)))
      response.on('error', () => undefined)
      const closed = new Promise((resolve) => response.once('close', resolve))
      return { text: () => closed.then(() => text), isWhole: () => response.complete }
    }
    const patient = await createGateway(forwarding(upstream.host))
    const slow = await open(patient, '/slow')
    await patient.close()
    assert.equal(await slow.text(), 'begun ended')
    const hasty = await createGateway({
      ...(forwarding(upstream.host) as object),
      config: { connectionTerminationDeadline: '200ms' },
    })
    const endless = await open(hasty, '/endless')
    const began = performance.now()
    await hasty.close()
    assert.ok(performance.now() - began < 5_000)
    assert.equal(await endless.text(), 'begun ')
    assert.equal(endless.isWhole(), false)
  })

  await t.test('writes a log and opens admin servers only if configured', async () => {
    const lines: string[] = []
    const log = { write: (line: string) => void lines.push(line), flushSync: () => undefined }
    const config = {
      ...(replying('hello') as object),
      config: { adminAddr: '127.0.0.1:0', statsAddr: '127.0.0.1:0', readinessAddr: '127.0.0.1:0' },
    }
    await using quiet = await createGateway(config)
    assert.deepEqual(
      quiet.addresses.map(({ name }) => name),
      ['default'],
    )
    await using loud = await createGateway(config, { log, adminServers: true })
    assert.deepEqual(
      loud.addresses.map(({ name }) => name),
      ['default', 'admin', 'stats', 'readiness'],
    )
    const ready = loud.addresses.find(({ name }) => name === 'readiness')?.url ?? ''
    assert.equal((await fetch(`${ready}/healthz/ready`)).status, 200)
    assert.equal(await textOf(loud), 'hello')
    await loud.apply(config)
    await pause(20)
    assert.ok(lines.some((line) => line.includes('configuration in force')))
    assert.ok(lines.some((line) => line.includes('http.status=200')))
    assert.ok(!lines.some((line) => line.includes('need a restart')))
  })
})

test('a program whose gateway is closed exits by itself', async () => {
  const program = `
    import { createServer } from 'node:http'
    import { createGateway } from 'agentgateway'
    const upstream = createServer((_, res) => res.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => upstream.once('listening', resolve))
    const config = {
      gateways: { default: { port: 0, address: '127.0.0.1' } },
      routes: [{ gateways: 'default', backends: [{ host: '127.0.0.1:' + upstream.address().port }] }],
    }
    const signals = () => process.eventNames().length
    const before = signals()
    const gateway = await createGateway(config, { adminServers: true, env: { ADMIN_ADDR: '127.0.0.1:0', STATS_ADDR: '127.0.0.1:0', READINESS_ADDR: '127.0.0.1:0' } })
    console.log(await (await fetch(gateway.addresses[0].url)).text(), signals() - before)
    await createGateway({ gateways: { default: { prt: 1 } } }).catch((error) => console.log(error.name))
    await gateway.apply(config)
    await gateway.close()
    upstream.close()
    upstream.closeAllConnections()
    console.log('closed')`
  const child = spawn(
    process.execPath,
    ['--conditions=agentgateway-source', '--input-type=module', '--eval', program],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const patience = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(patience)
  assert.deepEqual([code, printed], [0, 'hello 0\nConfigError\nclosed\n'])
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const says = (name: string, gateway = 'default'): string => `
  - name: ${name}
    gateways: ${gateway}
    matches: [{ path: { exact: /${name} } }]
    policies: { directResponse: { status: 200, body: ${name} } }`

const configuration = (routes: string, more = ''): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
${more}
routes:${routes}
`

const taken = /configuration in force/g
const refused = /Failed to reload config/g

/** Makes a change and resolves when it was applied, or refused. */
const reloaded = async (daemon: Daemon, change: () => void, outcome = taken): Promise<void> => {
  const count = () => daemon.output().match(outcome)?.length ?? 0
  const before = count()
  change()
  while (count() === before) await setTimeout(10)
}

suite('a changed configuration', () => {
  let daemon: Daemon
  let upstream: Upstream
  before(async () => {
    upstream = await startUpstream((req, res) => {
      req.resume()
      void setTimeout(Math.random() * 10).then(() => res.end('upstream'))
    })
    daemon = await startDaemon(configuration(says('one')))
    await daemon.printed(/configuration in force/)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const answer = async (path: string) => (await sendRequest(daemon.url('default'), path)).text
  const dump = async () =>
    (await (await fetch(`${daemon.url('admin')}/config_dump`)).json()) as { readonly hash: string }

  test('adds and removes routes', async () => {
    await reloaded(daemon, () => daemon.rewrite(configuration(says('one') + says('two'))))
    assert.deepEqual([await answer('/one'), await answer('/two')], ['one', 'two'])
    await reloaded(daemon, () => daemon.rewrite(configuration(says('two'))))
    assert.deepEqual([await answer('/one'), await answer('/two')], ['route not found', 'two'])
  })

  test('has a hash of its content', async () => {
    const first = await dump()
    await reloaded(daemon, () => daemon.rewrite(configuration(says('three'))))
    const second = await dump()
    assert.notEqual(first.hash, second.hash)
    await reloaded(daemon, () => daemon.rewrite(`# said in other words\n${configuration(says('two'))}`))
    assert.equal((await dump()).hash, first.hash)
  })

  test('can be written into its file', async () => {
    await reloaded(daemon, () => writeFileSync(daemon.file, configuration(says('written'))))
    while ((await answer('/written')) !== 'written') await setTimeout(10)
  })

  test('can replace its file by a rename', async () => {
    await reloaded(daemon, () => {
      const draft = join(dirname(daemon.file), '.draft')
      writeFileSync(draft, configuration(says('renamed')))
      renameSync(draft, daemon.file)
    })
    // The file that the test before has written in place may have been loaded twice.
    while ((await answer('/renamed')) !== 'renamed') await setTimeout(10)
  })

  test('can appear after its file was missing', async () => {
    await reloaded(daemon, () => {
      unlinkSync(daemon.file)
      void setTimeout(250).then(() => daemon.rewrite(configuration(says('returned'))))
    })
    assert.equal(await answer('/returned'), 'returned')
  })

  for (const [what, broken] of Object.entries({
    'is no YAML': 'routes: [',
    'has an unknown field': configuration(says('one')).replace('routes:', 'rutes:'),
    'refers to nothing': configuration(
      `${says('one')}\n  - { name: lost, backends: [{ backend: nothing }] }`,
    ),
    'has an expression that does not parse': configuration(
      says('one').replace('body: one', 'bodyExpression: "1 +"'),
    ),
  }))
    test(`that ${what} keeps the last valid one in force`, async () => {
      await reloaded(daemon, () => daemon.rewrite(configuration(says('good'))))
      const { hash } = await dump()
      await reloaded(daemon, () => daemon.rewrite(broken), refused)
      assert.deepEqual([await answer('/good'), (await dump()).hash], ['good', hash])
      const metrics = await (await fetch(`${daemon.url('stats')}/metrics`)).text()
      assert.match(metrics, /^agentgateway_config_synchronized 0$/m)
    })

  test('with another port opens it and closes the removed one, while requests continue', async () => {
    const port = await freePort()
    const both = configuration(
      `${says('good')}${says('other', 'second')}
  - { name: proxied, matches: [{ path: { pathPrefix: /up } }], backends: [{ host: "${upstream.host}" }] }`,
      `  second: { port: ${port}, address: 127.0.0.1 }`,
    )
    const one = configuration(`${says('good')}
  - { name: proxied, matches: [{ path: { pathPrefix: /up } }], backends: [{ host: "${upstream.host}" }] }`)
    await reloaded(daemon, () => daemon.rewrite(one))
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    let going = true
    const failures: string[] = []
    let answers = 0
    const client = async (path: string, expected: string, keptAlive: boolean) => {
      while (going) {
        const found = keptAlive ? await keptAnswer(daemon.url('default'), path, agent) : await answer(path)
        answers++
        if (found !== expected) failures.push(found)
      }
    }
    const clients = [
      client('/good', 'good', false),
      client('/good', 'good', true),
      client('/up/a', 'upstream', true),
      client('/up/b', 'upstream', true),
      client('/up/c', 'upstream', false),
    ]
    try {
      for (let round = 0; round < 3 || answers <= 100; round++) {
        await reloaded(daemon, () => daemon.rewrite(both))
        assert.equal((await sendRequest(`http://127.0.0.1:${port}`, '/other')).text, 'other')
        await reloaded(daemon, () => daemon.rewrite(one))
        // The removed port still accepts for some turns of the event loop, so that nobody who is connected is reset.
        while (!(await isRefused(port))) await setTimeout(10)
      }
    } finally {
      going = false
      await Promise.all(clients)
      agent.destroy()
    }
    assert.deepEqual(failures, [])
  })

  test('does not interrupt replies in progress', async () => {
    const slow = await startUpstream((_, res) => {
      res.write('begun ')
      ends.push(() => res.end('and ended'))
    })
    const ends: (() => void)[] = []
    await reloaded(daemon, () =>
      daemon.rewrite(configuration(`\n  - { name: slow, backends: [{ host: "${slow.host}" }] }`)),
    )
    const asked = sendRequest(daemon.url('default'), '/slow')
    while (ends.length === 0) await new Promise(setImmediate)
    await reloaded(daemon, () => daemon.rewrite(configuration(says('good'))))
    for (const end of ends) end()
    assert.equal((await asked).text, 'begun and ended')
    await slow[Symbol.asyncDispose]()
  })
})

test('a configuration behind symbolic links, as Kubernetes mounts it, is reloaded when they are swapped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-map-'))
  const version = (name: string, content: string) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'gateway.yaml'), content)
  }
  version('..v1', configuration(says('first')))
  symlinkSync('..v1', join(folder, '..data'))
  symlinkSync('..data/gateway.yaml', join(folder, 'gateway.yaml'))
  await using daemon = await startDaemon(configuration(says('first')))
  await daemon.printed(/configuration in force/)
  unlinkSync(daemon.file)
  symlinkSync(join(folder, 'gateway.yaml'), daemon.file)
  await reloaded(daemon, () => {
    version('..v2', configuration(says('second')))
    symlinkSync('..v2', join(folder, '..tmp'))
    renameSync(join(folder, '..tmp'), join(folder, '..data'))
  })
  // The new link to the first version may have been loaded as well.
  while ((await sendRequest(daemon.url('default'), '/second')).text !== 'second') await setTimeout(10)
  rmSync(folder, { recursive: true })
})

/** Whether nothing listens on a port; otherwise a request to it gets its reply. */
const isRefused = async (port: number): Promise<boolean> => {
  try {
    assert.equal((await sendRequest(`http://127.0.0.1:${port}`, '/other')).text, 'other')
    return false
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    assert.match(String(error), /ECONNREFUSED|ECONNRESET|socket hang up/)
    return true
  }
}

const keptAnswer = (base: string, path: string, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    get(`${base}${path}`, { agent }, (res: IncomingMessage) => void text(res).then(resolve, reject)).on(
      'error',
      reject,
    )
  })

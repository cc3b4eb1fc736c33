import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { userMessage } from '../support/llm/model-request.ts'

const configuration = (folder: string, body = 'hello', more = ''): string => `${anyPorts}
  logging: { level: 'info,agent_core=trace', file: ${folder}/process.log }
frontendPolicies:
  accessLog:
    file: ${folder}/access.log
    sampling: 'request.path.startsWith("/sampled") ? 0.0 : 1.0'
    payloads:
      file: ${folder}/payloads.log
      filter: '!("x-quiet" in request.headers)'
      completion: 'llm.completion.map(text, text.replace("Berlin", "[city]"))'
      mask: [{ builtin: email }, { pattern: 'card-[0-9]+' }]
      maxBytes: 2000
gateways:
  default: { address: 127.0.0.1, port: 0 }
  models: { address: 127.0.0.1, port: 0 }
routes:
  - name: failing
    gateways: default
    matches: [{ path: { exact: /sampled/failing } }]
    policies: { directResponse: { status: 503, body: broken } }
  - name: hello
    gateways: default
    policies:
      authorization: { rules: ['request.path != "/forbidden"'] }
      transformations: { response: { add: { x-none: 'jwt.sub' } } }
      directResponse: { status: 200, body: ${body} }
llm:
  gateways: models
  models: [{ name: it, provider: mock }]
${more}`

suite('logs of a running gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logging-'))
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon(configuration(folder))
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
  /** The first match in what is, or will be, written to a file. */
  const found = async (name: string, pattern: RegExp): Promise<RegExpExecArray> => {
    for (const until = performance.now() + 60_000; ;) {
      // Whole lines: one that is being written has no end yet.
      const match = pattern.exec(text(name).replace(/.+$/, ''))
      if (match) return match
      if (performance.now() > until)
        assert.fail(`no ${String(pattern)} in ${name}:\n${text(name).slice(-4_000)}`)
      await pause(5)
    }
  }
  const get = async (path: string) => (await sendRequest(daemon.url('default'), path)).status
  const level = async (query: string) =>
    (await sendRequest(daemon.url('admin'), `/logging${query}`, { method: 'POST' })).text

  test('standard output has the addresses, the files have the logs', async () => {
    await found('process.log', /configuration in force/)
    await found('process.log', /warn\tgateway\t.*config\.logging\.level: has a level for agent_core/)
    assert.equal(await get('/one'), 200)
    await found('access.log', /http\.path=\/one .*http\.status=200/)
    assert.doesNotMatch(daemon.output(), /configuration in force|http\.path/)
  })

  test('a level changes what is logged, at once', async () => {
    await get('/before')
    await found('access.log', /\/before/)
    assert.equal(
      await level('?level=http=debug,auth=debug,cel=debug,admin=debug'),
      'current log level is info,http=debug,auth=debug,cel=debug,admin=debug\n',
    )
    assert.equal(await get('/forbidden'), 403)
    await get('/during')
    const [, id = ''] = await found('process.log', /a request begins requestId=(\d+) .*path=\/forbidden\n/)
    await found('process.log', new RegExp(`debug\\thttp\\ta route is chosen requestId=${id} .*hello`))
    await found(
      'process.log',
      new RegExp(`debug\\tauth\\tauthorization rules .*requestId=${id} .*result=deny`),
    )
    await found('process.log', new RegExp(`debug\\thttp\\ta request ends requestId=${id} .*status=403`))
    await found('process.log', /debug\tcel\tan expression cannot be evaluated .*expression=jwt\.sub/)
    await found('process.log', /debug\thttp\ta connection opened connection=\d+ .*protocol=http/)
    // Its lines may be written after its response was sent.
    const [, during = ''] = await found('process.log', /a request begins requestId=(\d+) .*path=\/during\n/)
    await found('process.log', new RegExp(`a request ends requestId=${during} `))
    for (const [, connection = ''] of text('process.log').matchAll(/a connection opened connection=(\d+) /g))
      await found('process.log', new RegExp(`a connection closed connection=${connection} `))
    await level('')
    await found('process.log', /debug\tadmin\t.*method=POST path=\/logging status=200/)
    assert.equal(await level('?level=off,http=off,auth=off,cel=off,admin=off'), await level(''))
    await found('access.log', /\/during/)
    assert.equal(await get('/silent'), 200)
    assert.equal(await level('?reset'), 'current log level is info\n')
    assert.equal(await get('/after'), 200)
    await found('access.log', /\/after/)
    assert.doesNotMatch(text('access.log'), /\/silent/)
    await found('process.log', /the log levels are set levels=info before=off/)
    // The last line before they were off is that of the request before; lines are written in order.
    const requests = text('process.log').split(/^.*\tdebug\tadmin\t.*path=\/logging status=200.*\n/m)
    assert.equal(requests.length, 2)
    assert.match(requests[1] ?? '', /^\S+\tinfo\tadmin\tthe log levels are set [^\n]*\n$/)
  })

  test('the steps of a reload are logged by config', async () => {
    await level('?level=config=debug')
    daemon.rewrite(configuration(folder, 'other'))
    for (const step of [
      'a reload begins because="a file changed"',
      'loaded and checked hash=',
      'compiled hash=',
    ])
      await found('process.log', new RegExp(`debug\\tconfig\\t${step}`))
    await found('process.log', /debug\tconfig\tports serve it/)
    await level('?reset')
  })

  test('a reload with a log file that cannot be opened is refused', async () => {
    daemon.rewrite(configuration(folder).replace(`${folder}/access.log`, `${folder}/none/access.log`))
    await found(
      'process.log',
      /Failed to reload config error="cannot open the log file .*none\/access.log: ENOENT/,
    )
    assert.equal((await sendRequest(daemon.url('default'), '/')).text, 'other')
  })

  test('sampling leaves out what it does not choose, but not failures', async () => {
    for (let i = 0; i < 20; i++) await get('/sampled/well')
    assert.equal(await get('/sampled/failing'), 503)
    await get('/not-sampled')
    await found('access.log', /\/not-sampled/)
    assert.match(text('access.log'), /\/sampled\/failing/)
    assert.doesNotMatch(text('access.log'), /\/sampled\/well/)
  })

  test('files are rotated under load without losing a line, by SIGUSR1 or SIGUSR2', async () => {
    const [count, rotations] = [600, 4]
    const base = text('access.log').split('\n').length - 1
    let sent = 0
    const client = async () => {
      while (sent < count) assert.equal(await get(`/load/${String(sent++)}`), 200)
    }
    const clients = Promise.all([client(), client(), client(), client()])
    for (let i = 1; i <= rotations; i++) {
      while (sent < (count * i) / (rotations + 1)) await pause(1)
      renameSync(join(folder, 'access.log'), join(folder, `access.log.${String(i)}`))
      daemon.child.kill(i % 2 ? 'SIGUSR1' : 'SIGUSR2')
      while (!readdirSync(folder).includes('access.log')) await pause(1)
    }
    await clients
    await get('/last')
    await found('access.log', /\/last /)
    const names = [
      'access.log',
      ...Array.from({ length: rotations }, (_, i) => `access.log.${String(i + 1)}`),
    ]
    const lines = names.flatMap((name) => text(name).split('\n').slice(0, -1))
    assert.ok(lines.every((line) => /^\S+Z\tinfo\trequest .* durationMs=[\d.]+$/.test(line)))
    assert.equal(lines.length, base + sent + 1)
    const paths = new Set(lines.map((line) => /http\.path=(\/load\/\d+) /.exec(line)?.[1]).filter(Boolean))
    assert.equal(paths.size, sent)
    assert.doesNotMatch(daemon.output(), /Debugger listening/)
  })

  test('prompts and completions are logged, masked and bounded', async () => {
    const send = async (content: string, stream: boolean, headers: Record<string, string> = {}) => {
      const { path, request: asked } = userMessage('completions', 'it', content, stream)
      const { status } = await sendRequest(daemon.url('models'), path, {
        ...asked,
        headers: { ...asked.headers, ...headers },
      })
      assert.equal(status, 200)
    }
    await send('mock:say quiet', false, { 'x-quiet': '1' })
    for (const stream of [false, true]) {
      const mark = stream ? 'streamed' : 'whole'
      await send(
        `${mark} of bob@example.com with card-1234, s3cr3t-key. mock:say Berlin ${mark} eve@example.com`,
        stream,
        { authorization: 'Bearer s3cr3t-key' },
      )
      const [line] = await found('payloads.log', new RegExp(`^.*${mark} of .*$`, 'm'))
      assert.match(line, /\tinfo\tpayload request\.id=\d+ .*gen_ai\.request\.model=\S+/)
      assert.match(line, new RegExp(`gen_ai\\.completion="\\[\\\\"\\[city\\] ${mark} <EMAIL_ADDRESS>`))
      assert.match(line, /of <EMAIL_ADDRESS> with <masked>, <redacted>\./)
      assert.doesNotMatch(line, /example\.com|1234|s3cr3t/)
      const [, id = ''] = /request\.id=(\d+)/.exec(line) ?? []
      await found('access.log', new RegExp(`request\\.id=${id} .*gen_ai\\.operation\\.name=chat`))
    }
    await send(`long ${'x'.repeat(100_000)} mock:say Done.`, false)
    const [long] = await found('payloads.log', /^.*\[?"?.*long x.*$/m)
    assert.ok(long.length < 3_000)
    assert.match(long, / cut=true$/)
    await level('?level=payload=off')
    await send('unlogged', false)
    await level('?reset')
    await send('logged again', false)
    await found('payloads.log', /logged again/)
    assert.doesNotMatch(text('payloads.log'), /quiet|unlogged/)
  })
})

suite('a log file that cannot be opened', () => {
  test('keeps the gateway from starting, and is named', async () => {
    const text = `${anyPorts}\n  logging: { file: /none/a.log }\ngateways: { default: { port: 0 } }\n`
    await assert.rejects(startDaemon(text), /cannot open the log file \/none\/a\.log: ENOENT\n/)
  })
})

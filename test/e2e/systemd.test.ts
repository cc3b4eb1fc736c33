import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createSocket, type Socket, type SocketType } from 'node:dgram'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { cleanEnvironment } from '../support/command.ts'
import { anyPorts, daemonProgram } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { UdpClientSocket, udpServer } from '../support/udp.ts'
import { rawServer } from '../support/upstream-servers.ts'

/** A listening socket of this process, whose descriptor a child can inherit. */
const openInherited = async (t: TestContext, address: { port: number } | { path: string }) => {
  const server = createServer()
  server.listen('port' in address ? { ...address, host: '127.0.0.1' } : address)
  await once(server, 'listening')
  t.after(() => server.close())
  const { fd } = (server as Server & { readonly _handle: { readonly fd: number } })._handle
  return { server, fd }
}

/** A socket for datagrams that no process reads from, once `close` has been called and a child has inherited it. */
const openDatagrams = async (t: TestContext, type: SocketType, address: string, port = 0) => {
  const socket = createSocket({ type, ipv6Only: false })
  socket.bind(port, address)
  await once(socket, 'listening')
  let isOpen = true
  const close = () => {
    if (isOpen) socket.close()
    isOpen = false
  }
  t.after(close)
  return { port: socket.address().port, fd: descriptorOf(socket), close }
}

const descriptorOf = (socket: Socket): number => {
  const [state] = Object.getOwnPropertySymbols(socket).filter((one) => one.description === 'state symbol')
  const { handle } = (socket as unknown as Record<symbol, { handle: { fd: number } }>)[state!]!
  return handle.fd
}

interface Supervised {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<unknown>
  printed(pattern: RegExp): Promise<void>
}

/** Starts the daemon as a service manager does: with `LISTEN_PID` of its own, and descriptors from 3 on. */
const startSupervised = (
  t: TestContext,
  configuration: string,
  { env, descriptors = [] }: { readonly env: Record<string, string>; readonly descriptors?: number[] },
): Supervised => {
  const folder = mkdtempSync(join(tmpdir(), 'supervised-'))
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  const script = 'export LISTEN_PID=$$ WATCHDOG_PID=$$; exec "$0" "$@"'
  const child = spawn('/bin/sh', ['-c', script, process.execPath, daemonProgram, '-f', file], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const ended = once(child, 'close')
  let text = ''
  let isOver = false
  const changed = new EventTarget()
  void ended.then(() => {
    isOver = true
    changed.dispatchEvent(new Event('text'))
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      changed.dispatchEvent(new Event('text'))
    })
  return {
    child,
    output: () => text,
    ended,
    printed: async (pattern) => {
      while (!pattern.test(text)) {
        assert.equal(isOver, false, text)
        await new Promise((resolve) => changed.addEventListener('text', resolve, { once: true }))
      }
    },
  }
}

const get = async (options: object): Promise<string> => {
  const [res] = (await once(request(options).end(), 'response')) as [AsyncIterable<Buffer>]
  let body = ''
  for await (const chunk of res) body += chunk.toString()
  return body
}

const reply = `routes: [{ policies: { directResponse: { status: 200, body: from the gateway } } }]\n`

test('socket activation', async (t) => {
  await t.test('serves inherited sockets in place of opening them', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'inherited-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'gateway.sock')
    const tcp = await openInherited(t, { port: 0 })
    const unix = await openInherited(t, { path })
    const spare = await openInherited(t, { port: 0 })
    const { port } = tcp.server.address() as { port: number }
    const configuration = `${anyPorts}
gateways:
  default: { port: ${port}, address: 127.0.0.1 }
  local: { address: 'unix:${path}' }
${reply.replace('[{', '[{ gateways: [default, local],')}`
    const descriptors = [tcp.fd, unix.fd, spare.fd]
    const daemon = startSupervised(t, configuration, { env: { LISTEN_FDS: '3' }, descriptors })
    await daemon.printed(/^ready/m)
    await daemon.printed(/no gateway has the address of an inherited socket.*127\.0\.0\.1/)
    // Only the copy of the daemon accepts now.
    tcp.server.close()
    // Closing removes the file.
    renameSync(path, `${path}.kept`)
    unix.server.close()
    renameSync(`${path}.kept`, path)
    assert.equal(await get({ port, host: '127.0.0.1' }), 'from the gateway')
    assert.equal(await get({ socketPath: path }), 'from the gateway')
    assert.match(daemon.output(), new RegExp(`local listens on unix:${path}`))
  })

  await t.test(
    'takes sockets for datagrams over, beside those for connections at the same number',
    async (t) => {
      await using echo = await udpServer()
      await using upstream = await rawServer((socket) => socket.end('over TCP'))
      // One that the system gives for connections may be in use for datagrams.
      const port = await freePort()
      const tcp = await openInherited(t, { port })
      const udp = await openDatagrams(t, 'udp4', '127.0.0.1', port)
      const spare = await openDatagrams(t, 'udp4', '127.0.0.1')
      const configuration = `${anyPorts}
gateways:
  dns:
    port: ${port}
    address: 127.0.0.1
    listeners: [{ name: datagrams, protocol: UDP }, { name: connections, protocol: TCP }]
tcpRoutes: [{ gateways: dns, backends: [{ host: '127.0.0.1:${upstream.port}' }] }]
udpRoutes: [{ gateways: dns, backends: [{ host: '127.0.0.1:${echo.port}' }] }]
`
      const descriptors = [udp.fd, spare.fd, tcp.fd]
      const daemon = startSupervised(t, configuration, { env: { LISTEN_FDS: '3' }, descriptors })
      udp.close()
      tcp.server.close()
      using client = await UdpClientSocket.to(port)
      // Nobody reads yet: it waits in the buffer of the socket.
      client.send('early')
      assert.equal(String(await client.next()), 'early')
      assert.equal(String(await client.ask('later')), 'later')
      const socket = connect(port, '127.0.0.1')
      assert.equal(await text(socket), 'over TCP')
      await daemon.printed(
        /no gateway has the address of an inherited socket address=127\.0\.0\.1:\d+ transport=udp/,
      )
      assert.doesNotMatch(daemon.output(), /another process/)
    },
  )

  for (const [type, address] of [
    ['udp6', '::'],
    ['udp4', '0.0.0.0'],
  ] as const)
    await t.test(`takes a socket for datagrams to ${address} over`, async (t) => {
      await using echo = await udpServer()
      const udp = await openDatagrams(t, type, address)
      const configuration = `${anyPorts}
gateways: { dns: { port: ${udp.port}, protocol: UDP } }
udpRoutes: [{ gateways: dns, backends: [{ host: '127.0.0.1:${echo.port}' }] }]
`
      startSupervised(t, configuration, { env: { LISTEN_FDS: '1' }, descriptors: [udp.fd] })
      udp.close()
      using client = await UdpClientSocket.to(udp.port)
      client.send('early')
      assert.equal(String(await client.next()), 'early')
    })

  await t.test('leaves sockets for datagrams alone that have one peer', async (t) => {
    const socket = createSocket('udp4')
    t.after(() => socket.close())
    socket.connect(9, '127.0.0.1')
    await once(socket, 'connect')
    const { port } = socket.address()
    const configuration = `${anyPorts}
gateways: { dns: { port: ${port}, address: 127.0.0.1, protocol: UDP } }
udpRoutes: [{ gateways: dns, backends: [{ host: '127.0.0.1:9' }] }]
`
    const descriptors = [descriptorOf(socket)]
    const daemon = startSupervised(t, configuration, { env: { LISTEN_FDS: '1' }, descriptors })
    await daemon.printed(/another process/)
    await daemon.ended
    assert.equal(daemon.child.exitCode, 1)
  })

  await t.test('ignores sockets for another process', async (t) => {
    const { server, fd } = await openInherited(t, { port: 0 })
    const { port } = server.address() as { port: number }
    const configuration = `${anyPorts}gateways: { default: { port: ${port}, address: 127.0.0.1 } }\n${reply}`
    const env = { LISTEN_FDS: '0' }
    const daemon = startSupervised(t, configuration, { env, descriptors: [fd] })
    await daemon.printed(/another process/)
    await daemon.ended
    assert.equal(daemon.child.exitCode, 1)
  })
})

test('notification of the service manager', async (t) => {
  await t.test('reports readiness, and feeds the watchdog while the event loop turns', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'notify-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const record = join(folder, 'messages')
    writeFileSync(record, '')
    writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${record}'\n`)
    chmodSync(join(folder, 'systemd-notify'), 0o755)
    const configuration = `${anyPorts}gateways: { default: { port: 0, address: 127.0.0.1 } }\n${reply}`
    const daemon = startSupervised(t, configuration, {
      env: {
        PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
        NOTIFY_SOCKET: '/run/notify',
        WATCHDOG_USEC: '200000',
      },
    })
    await daemon.printed(/^ready/m)
    const messages = (): string[] => readFileSync(record, 'utf8').trim().split('\n')
    const count = (message: string) => messages().filter((line) => line === `/run/notify ${message}`).length
    // Each message is sent by a program of its own.
    while (count('READY=1') === 0 || count('WATCHDOG=1') < 3)
      await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(count('READY=1'), 1)
  })

  await t.test('warns once if systemd-notify is missing', async (t) => {
    const configuration = `${anyPorts}gateways: { default: { port: 0, address: 127.0.0.1 } }\n${reply}`
    const daemon = startSupervised(t, configuration, {
      env: { PATH: '/usr/bin/nowhere:/bin/nowhere', NOTIFY_SOCKET: '/run/notify' },
    })
    await daemon.printed(/the service manager could not be notified/)
  })

  await t.test('writes to READY_FD and closes it', async (t) => {
    const configuration = `${anyPorts}gateways: { default: { port: 0, address: 127.0.0.1 } }\n${reply}`
    const folder = mkdtempSync(join(tmpdir(), 'ready-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'gateway.yaml')
    writeFileSync(file, configuration)
    const child = spawn(process.execPath, [daemonProgram, '-f', file], {
      env: { ...cleanEnvironment(), READY_FD: '3' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    let text = ''
    for await (const chunk of child.stdio[3] as unknown as AsyncIterable<Buffer>) text += chunk.toString()
    assert.equal(text, 'ready\n')
  })
})

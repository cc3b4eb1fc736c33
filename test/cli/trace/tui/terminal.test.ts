import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { documentedScreen } from '../../../support/cli/documented-screen.ts'
import { startTmux, type Tmux } from '../../../support/cli/tmux.ts'
import { anyPorts, startDaemon } from '../../../support/daemon.ts'
import { findProgram } from '../../../support/find-program.ts'
import { startUpstream } from '../../../support/upstream.ts'

const tmux = findProgram('tmux')
/** Throws at a signal, as a fault of the program would. */
const crash = `data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20Error('planted')})`
/** Sets the title of the terminal and clears the screen. */
const escapes = '\u001b]2;stolen\u0007\u001b[2J'

test('the terminal UI of a trace', { skip: tmux === undefined && 'tmux is not installed' }, async (t) => {
  await using upstream = await startUpstream((_req, res) => {
    res.setHeader('content-type', 'text/plain').end(`upstream ${escapes} body`)
  })
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: cart
    gateways: default
    matches: [{ path: { pathPrefix: /cart } }]
    policies:
      cors: { allowOrigins: ['*'] }
      requestHeaderModifier: { set: { x-shop: one }, remove: [x-debug] }
      responseHeaderModifier: { set: { x-served-by: gateway } }
    backends: [{ host: '${upstream.host}' }]
  - name: admin
    gateways: default
    matches: [{ path: { pathPrefix: /admin } }]
    policies: { authorization: { rules: ['request.headers["x-role"] == "admin"'] } }
    backends: [{ host: '${upstream.host}' }]
`)
  const send = async (path: string) => {
    const headers = { host: 'shop.example.com', authorization: 'Bearer abcdefghijkl', 'x-debug': '1' }
    const call = request(new URL(path, daemon.url('default')), { method: 'PUT', headers }).end('{"n":1}')
    const [response] = (await once(call, 'response')) as [NodeJS.ReadableStream]
    await once(response.resume(), 'end')
  }
  const ports = {
    [new URL(daemon.url('admin')).port]: '15000',
    [new URL(daemon.url('default')).port]: '3000',
    [upstream.host.split(':')[1] ?? '']: '9000',
  }
  /** Waits for the whole screen: its lines do not appear at one moment, and a row is updated when its request ends. */
  const isDocumented = async (screen: Tmux, name: string, pattern: RegExp) => {
    const end = performance.now() + 120_000
    for (;;) {
      const { documented, shown } = documentedScreen(name, await screen.shows(pattern), ports)
      if (shown === documented) return
      if (performance.now() > end) assert.equal(shown, documented)
      await pause(50)
    }
  }
  const trace = `'${process.execPath}' src/cli/agctl.ts proxy trace --admin-url ${daemon.url('admin')}`
  const isBack = async (screen: Tmux, code: number) => {
    // Keys that are pressed before the prompt is there would still be read by agctl.
    await screen.shows(/[$#]\s*$/)
    await screen.run(`echo "code=$? $(stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(echo|icanon)' | xargs)"`)
    assert.match(await screen.shows(/code=\d/), new RegExp(`^code=${String(code)} icanon echo$`, 'm'))
    assert.equal(await screen.format('#{alternate_on} #{cursor_flag} #{wrap_flag}'), '0 1 1')
    await screen.run('clear')
    await screen.shows(/^\S*[$#]\s*$/)
  }

  await t.test('lists requests, and shows each from all sides', async () => {
    await using screen = await startTmux()
    await screen.run(`${trace} --follow --bodies`)
    await screen.shows(/0 requests, following[^]*Waiting for the next request/)
    assert.equal(await screen.format('#{alternate_on} #{cursor_flag}'), '1 0')
    for (const path of ['/cart?item=7', '/admin', '/none', '/cart']) await send(path)
    await isDocumented(screen, 'list', /4 requests/)
    assert.match(await screen.screen(true), /\u001b\[[\d;]*3[1-6]/)

    await screen.press('g', 'Enter')
    await isDocumented(screen, 'waterfall', /\[1 Waterfall\][^]*response_header_mod/)
    await screen.press('2')
    await isDocumented(screen, 'route', /✗ .*admin/)
    await screen.press('4')
    await isDocumented(screen, 'headers', /\+ x-served-by: gateway/)

    await screen.press('7')
    await screen.shows(/upstream ␛\]2;stolen␇␛\[2J body/)
    assert.notEqual(await screen.format('#{pane_title}'), 'stolen')
    await screen.press('/')
    await screen.press('-l', 'STOLEN')
    await screen.shows(/\/STOLEN█ {2}1 line/)
    await screen.press('Enter', 'c')
    await isDocumented(screen, 'curl', /--data-raw '\{"n":1\}'/)
    assert.match(
      await screen.clipboard(),
      /^curl --globoff --path-as-is -X PUT \\\n[^]*'http:\/\/shop\.example\.com\/cart\?item=7'$/,
    )
    await screen.press('?')
    await screen.press('q', ']')
    await screen.shows(/PUT +403 /)

    await screen.resize(120, 30)
    await screen.shows(/^.{90,} 4 requests, watching\s*$/m)
    await screen.resize(40, 8)
    await screen.shows(/^.{1,40}$/m)
    await screen.resize(39, 8)
    await screen.shows(/too small/)
    await screen.resize(80, 24)
    await screen.shows(/8 Events/)
    await screen.press('q', 'q')
    await isBack(screen, 0)
  })

  await t.test('gives the terminal back, however it ends', async () => {
    await using screen = await startTmux({ NO_COLOR: '1', NODE_OPTIONS: `--import=${crash}` })
    const start = async () => {
      await screen.run(`${trace} --follow`)
      await screen.shows(/Waiting for the next request/)
    }
    const signal = async (name: string) => {
      await screen.press('C-z')
      await screen.shows(/Stopped[^]*[$#]\s*$/)
      await screen.run('clear')
      await screen.shows(/^\S*[$#]\s*$/)
      await screen.run(`kill -${name} %1; fg`)
      // The keys that follow must not reach the shell before it runs this line, and `fg` prints the command that it resumes.
      await screen.shows(/; fg\n\S/)
    }

    await start()
    assert.doesNotMatch(await screen.screen(true), /\u001b\[[\d;]*[349][0-7]/)
    await screen.press('C-c')
    await isBack(screen, 130)

    await start()
    await screen.press('C-z')
    await screen.shows(/Stopped/)
    assert.equal(await screen.format('#{alternate_on} #{cursor_flag}'), '0 1')
    await screen.run('clear; fg')
    await screen.shows(/Waiting for the next request/)
    assert.equal(await screen.format('#{alternate_on} #{cursor_flag}'), '1 0')
    await signal('TERM')
    await isBack(screen, 130)

    await start()
    await signal('USR2')
    await screen.shows(/Error: unexpected failure: planted/)
    await isBack(screen, 1)
  })

  await t.test('shows a file, and what the gateway refuses without taking the terminal', async () => {
    await using screen = await startTmux()
    await screen.run(`${trace} --expression '1 +'`)
    await screen.shows(/^Error: trace stream returned 400/m)
    await isBack(screen, 1)
    const file = 'test/vectors/reference/trace_llm_stream.sse'
    await screen.run(`cat ${file} | '${process.execPath}' src/cli/agctl.ts proxy trace -f -`)
    await screen.shows(/1 request, complete/)
    await screen.press('6')
    await screen.shows(/model +fake-model/)
    await screen.press('q')
    await isBack(screen, 0)
  })
})

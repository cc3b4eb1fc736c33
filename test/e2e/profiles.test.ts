import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { anyPorts, type Daemon, daemonSources, startDaemon } from '../support/daemon.ts'
import { decodeProfile } from '../support/decode-profile.ts'
import { findProgram } from '../support/find-program.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

process.env.PATH = [process.env.PATH, '/usr/local/go/bin'].join(delimiter)
const go = findProgram('go')
const skip = process.platform !== 'linux' && 'profiles need Linux'

suite('profiles of a gateway under load', { skip }, () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'profiles-'))
  const files = { profile: join(folder.path, 'cpu.pb.gz'), heap: join(folder.path, 'heap.pb.gz') }
  let upstream: Upstream
  let daemon: Daemon
  let isOver = false
  let load: Promise<unknown>

  before(async () => {
    upstream = await startUpstream((_, res) => res.end('ok'))
    // From the sources: the bundle has no source map.
    daemon = await startDaemon(
      `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { accessLog: { filter: "false" } }
routes:
  - name: all
    policies: { authorization: { rules: ['request.path.startsWith("/")'] } }
    backends: [{ host: "${upstream.host}" }]
`,
      { program: [process.execPath, daemonSources] },
    )
    const one = async (): Promise<void> => {
      while (!isOver) assert.equal((await fetch(daemon.url('default'))).status, 200)
    }
    load = Promise.all(Array.from({ length: 8 }, one))
  })
  const endLoad = async (): Promise<void> => {
    isOver = true
    await load
  }
  after(async () => {
    await endLoad()
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const take = async (path: 'profile' | 'heap', query = '') => {
    const response = await fetch(`${daemon.url('admin')}/debug/pprof/${path}${query}`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.equal(response.status, 200, Buffer.from(bytes).toString())
    writeFileSync(files[path], bytes)
    return decodeProfile(bytes)
  }

  test('show the functions of the gateway with their TypeScript files and lines', async () => {
    const { stacks, durationMs } = await take('profile', '?seconds=2')
    const frames = new Set(stacks.flatMap((stack) => stack.frames))
    const ours = [...frames].filter((frame) => /\S+ \/.*\/src\/\S+\.ts:[1-9]\d*$/.test(frame))
    assert.ok(ours.length > 20, [...frames].join('\n'))
    for (const file of ['src/sinks/client/http1-client.ts', 'src/streams/http/http1/connection.ts'])
      assert.ok(
        ours.some((frame) => frame.includes(`/${file}:`)),
        `${file} in ${ours.join('\n')}`,
      )
    assert.ok(durationMs >= 1_990 && durationMs < 60_000, `${durationMs} ms`)

    const heap = await take('heap')
    const allocating = heap.stacks.flatMap((stack) => stack.frames)
    assert.ok(
      allocating.some((frame) => /\/src\/\S+\.ts:[1-9]\d*$/.test(frame)),
      allocating.join('\n'),
    )
    // It would slow down the next test, which reads the files.
    await endLoad()
  })

  test('are read by go tool pprof', { skip: go === undefined && 'Go is not installed' }, async () => {
    const pprof = async (...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)(go!, ['tool', 'pprof', '-nodecount=10000', ...args], {
        env: { ...process.env, PPROF_TMPDIR: folder.path },
      })
      return stdout
    }
    const top = await pprof('-top', '-cum', files.profile)
    assert.match(top, /^Type: cpu$/m)
    assert.match(top, /\b(ClientSink|readRequestHead|onResponseEnd|#begin)\b/)
    assert.match(await pprof('-top', '-cum', '-lines', files.profile), /\/src\/\S+\.ts:\d+$/m)
    assert.match(await pprof('-top', '-cum', files.heap), /^Type: inuse_space$/m)
    assert.match(await pprof('-top', '-cum', '-lines', files.heap), /\/src\/\S+\.ts:\d+$/m)
  })
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { anyPorts, type Daemon, daemonSources, startDaemon } from '../support/daemon.ts'
import { type DecodedProfile, decodeProfile } from '../support/decode-profile.ts'
import { findProgram } from '../support/find-program.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

process.env.PATH = [process.env.PATH, '/usr/local/go/bin'].join(delimiter)
const go = findProgram('go')
/** Functions that every request needs. */
const wellKnown = /\b(ClientSink|readRequestHead|onResponseEnd|#begin)\b/

/** The different functions of the gateway, with file and line. */
const framesOf = (stacks: DecodedProfile['stacks']): string[] => {
  const all = new Set(stacks.flatMap(({ frames }) => frames))
  return [...all].filter((frame) => /\/src\/\S+\.ts:[1-9]\d*$/.test(frame))
}

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
    const files = ['/src/sinks/client/http1-client.ts:', '/src/streams/http/http1/connection.ts:']
    // Samples are a matter of chance: the gateway may have had little of a processor.
    for (let isShown = false; !isShown;) {
      const { stacks, durationMs } = await take('profile', '?seconds=2')
      assert.ok(durationMs >= 1_950 && durationMs < 60_000, `${durationMs} ms`)
      const ours = framesOf(stacks).filter((frame) => /^\S+ \//.test(frame))
      isShown =
        ours.length > 20 &&
        files.every((file) => ours.some((frame) => frame.includes(file))) &&
        ours.some((frame) => wellKnown.test(frame))
    }
    while (framesOf((await take('heap')).stacks).length === 0);
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
    assert.match(top, wellKnown)
    assert.match(await pprof('-top', '-cum', '-lines', files.profile), /\/src\/\S+\.ts:\d+$/m)
    assert.match(await pprof('-top', '-cum', files.heap), /^Type: inuse_space$/m)
    assert.match(await pprof('-top', '-cum', '-lines', files.heap), /\/src\/\S+\.ts:\d+$/m)
  })
})

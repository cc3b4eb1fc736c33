import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { listening } from '../../support/upstream-servers.ts'

const args = ['proxy', 'trace', '-f', 'test/vectors/reference/trace_no_route.sse']

test('without a terminal, a trace is a line for each request, with a hint unless it was requested', async () => {
  const [plain, summary] = await Promise.all([runAgctlProgram(args), runAgctlProgram([...args, '--summary'])])
  assert.match(plain.stdout, /^GET \S+ 404 .*route=none.*\n$/)
  assert.match(plain.stderr, /^no terminal: these are the lines of --summary; --raw prints the events\n$/)
  assert.deepEqual([summary.stdout, summary.stderr], [plain.stdout, ''])
})

test('Ctrl-C ends a trace of a cluster that does not respond', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'silent-api-server-'))
  const silent = createServer()
  const requested = once(silent, 'request')
  await using server = await listening(silent)
  const kubeconfig = join(folder.path, 'config')
  const cluster = { name: 'a', cluster: { server: `http://127.0.0.1:${server.port}` } }
  const context = { name: 'a', context: { cluster: 'a' } }
  writeFileSync(
    kubeconfig,
    JSON.stringify({ 'current-context': 'a', clusters: [cluster], contexts: [context] }),
  )
  const child = spawn(process.execPath, [
    'src/cli/agctl.ts',
    'proxy',
    'trace',
    'gateway/web',
    '--raw',
    '-k',
    kubeconfig,
  ])
  try {
    const exited = once(child, 'exit')
    await requested
    child.kill('SIGINT')
    assert.deepEqual(await exited, [null, 'SIGINT'])
  } finally {
    child.kill('SIGKILL')
  }
})

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { controllerLevels, readLevels } from '../../src/cli/logging/level-query.ts'
import { profileFileName } from '../../src/cli/profile/profile-file-name.ts'
import { progressBar } from '../../src/cli/profile/show-progress.ts'
import { runAgctlProgram } from '../support/cli/agctl.ts'
import { startStandInAdmin } from '../support/cli/admin-server.ts'
import { findProgram } from '../support/find-program.ts'

test('agctl proxy log', async (t) => {
  await using admin = await startStandInAdmin((_req, res) => res.end('current log level is info'))
  const log = (...args: string[]) =>
    runAgctlProgram(['proxy', 'log', '--local', '-p', String(admin.port), ...args])

  await t.test('prints the response', async () => {
    assert.equal((await log()).stdout, 'current log level is info\n')
    assert.equal(admin.calls.at(-1), 'POST /logging')
  })

  await t.test('fails if another server replies, and prints nothing of it', async () => {
    await using other = await startStandInAdmin((_req, res) => res.end('<html>\u001b]0;title\u0007\u009b2J'))
    const run = await runAgctlProgram(['proxy', 'log', '--local', '-p', String(other.port)])
    assert.deepEqual([run.code, run.stdout], [1, ''])
    assert.match(run.stderr, /did not reply with log levels\nIs it the admin server of a gateway\?/)
  })

  await t.test('refuses what is no level', async () => {
    assert.equal(
      (await log('--level', 'loud')).stderr.split('\n')[0],
      'Error: unknown level "loud"; must be one of error, warn, info, debug, trace, off',
    )
    const read = (set: string, level?: string) => () =>
      readLevels({ set: [set], ...(level !== undefined && { level }) }, controllerLevels, 'component')
    assert.throws(read('a=info', 'info'), /^CommandFailure: --level and --set are mutually exclusive$/)
    assert.throws(read('a'), /invalid --set value "a": expected component=level/)
    assert.throws(read('a=b=info'), /invalid --set value/)
    assert.throws(
      read('a=off'),
      /--set a: unknown level "off"; must be one of error, warn, info, debug, trace$/,
    )
    assert.deepEqual(read('a=info,b=warn')().byName, [
      ['a', 'info'],
      ['b', 'warn'],
    ])
  })
})

test('agctl proxy profile', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'agctl-profile-'))
  t.after(() => {
    rmSync(folder, { recursive: true })
  })
  const profile = gzipSync('a profile')
  await using admin = await startStandInAdmin((req, res) => {
    if (req.url === '/debug/pprof/heap') res.end(profile)
    else if (req.url?.includes('seconds=2')) res.writeHead(409).end('one at a time')
    else if (req.url?.includes('seconds=3')) res.end('no profile')
    else if (req.url?.includes('seconds=4')) {
      res.writeHead(200, { 'content-length': 100 }).write(profile, () => res.destroy())
    } else res.writeHead(200).write(profile)
  })
  const file = join(folder, 'p.pb.gz')
  const args = ['proxy', 'profile', 'cpu', '--local', '-p', String(admin.port), '-o', file]
  const run = (seconds: string) => runAgctlProgram([...args, '--seconds', seconds])

  await t.test('writes a heap profile to the file', async () => {
    const { stdout, stderr } = await runAgctlProgram(args.map((arg) => (arg === 'cpu' ? 'heap' : arg)))
    assert.deepEqual([stdout, stderr], [`Wrote heap profile to ${file}\n`, ''])
    assert.deepEqual(readFileSync(file), profile)
  })

  await t.test('leaves the old file alone if there is no new one', async () => {
    const failures = [await run('2'), await run('3'), await run('4'), await run('0'), await run('301')]
    assert.match(failures[0]?.stderr ?? '', /^Error: cpu profile returned 409: one at a time\n/)
    assert.match(failures[1]?.stderr ?? '', /^Error: the response is not a cpu profile\n/)
    assert.match(
      failures[2]?.stderr ?? '',
      /^Error: (cannot write the cpu profile|cannot reach the admin server)/,
    )
    assert.match(failures[3]?.stderr ?? '', /^Error: invalid --seconds 0; must be between 1 and 300\n/)
    assert.match(failures[4]?.stderr ?? '', /^Error: invalid --seconds 301; must be between 1 and 300\n/)
    assert.deepEqual(readdirSync(folder), ['p.pb.gz'])
    assert.deepEqual(readFileSync(file), profile)
  })

  await t.test('ends what has no end', async () => {
    const part = Buffer.alloc(1024 * 1024)
    part[0] = 0x1f
    await using endless = await startStandInAdmin((_req, res) => {
      const write = (): void => {
        while (!res.destroyed && res.write(part));
      }
      write()
      res.on('drain', write)
    })
    const run = await runAgctlProgram([
      'proxy',
      'profile',
      'heap',
      '--local',
      '-p',
      String(endless.port),
      '-o',
      file,
    ])
    assert.match(run.stderr, /^Error: the response is longer than \d+ bytes, and no heap profile\n/)
    assert.deepEqual(readdirSync(folder), ['p.pb.gz'])
  })

  await t.test('leaves nothing behind after Ctrl-C', async () => {
    const before = admin.calls.length
    const child = spawn(process.execPath, ['src/cli/agctl.ts', ...args, '--seconds', '300'])
    while (admin.calls.length === before) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGINT')
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 130)
    assert.deepEqual(readdirSync(folder), ['p.pb.gz'])
  })

  await t.test('names files by the time, and draws a bar', () => {
    assert.equal(
      profileFileName('cpu', new Date(2026, 0, 2, 3, 4, 5)),
      'agentgateway-cpu-20260102-030405.pb.gz',
    )
    assert.equal(progressBar(0.5), `[${'#'.repeat(15)}${'-'.repeat(15)}]`)
  })
})

test('agctl token', async (t) => {
  let body = ''
  await using provider = await startStandInAdmin((req, res) => {
    body = ''
    req.on('data', (chunk: Buffer) => (body += chunk.toString()))
    req.once('end', () => {
      const { client_id: id } = JSON.parse(body) as { client_id: string }
      if (id === 'ci') res.end(JSON.stringify({ access_token: 'abc.def' }))
      else if (id === 'moved') res.writeHead(307, { location: '/elsewhere' }).end()
      else if (id === 'odd') res.end(JSON.stringify({ access_token: 'a\r\nb' }))
      else
        res
          .writeHead(403)
          .end(JSON.stringify({ error: 'access_denied', error_description: `not with ${body}` }))
    })
  })
  const token = (id: string, args: string[] = [], input = '', secret = 's3cret') =>
    runAgctlProgram(
      [
        'token',
        '--auth-url',
        `http://127.0.0.1:${String(provider.port)}/tenant/`,
        '--client-id',
        id,
        '--audience',
        'mcp',
        ...args,
      ],
      { env: { AGENTGATEWAY_CLIENT_SECRET: secret }, input },
    )

  await t.test('prints a token, or a header field', async () => {
    assert.equal((await token('ci')).stdout, 'abc.def\n')
    assert.equal(provider.calls.at(-1), 'POST /tenant/oauth/token')
    assert.deepEqual(JSON.parse(body), {
      client_id: 'ci',
      client_secret: 's3cret',
      audience: 'mcp',
      grant_type: 'client_credentials',
    })
    const piped = await token('ci', ['--header', '--client-secret-file', '-'], 'from-pipe\n')
    assert.equal(piped.stdout, 'Authorization: Bearer abc.def\n')
    assert.match(body, /"client_secret":"from-pipe"/)
  })

  await t.test('shows the error of the provider without the secret', async () => {
    const { code, stderr } = await token('other')
    assert.equal(code, 1)
    assert.match(stderr, /gave no token \(403\): access_denied: not with .*<redacted>/)
    assert.doesNotMatch(stderr, /s3cret/)
  })

  await t.test('does not follow redirects, print control characters or send secrets in clear', async () => {
    assert.equal((await token('moved')).code, 3)
    assert.match((await token('odd')).stderr, /has no access_token/)
    assert.match(
      (await token('ci', [], '', '')).stderr,
      /there is no client secret\nSet \$AGENTGATEWAY_CLIENT_SECRET/,
    )
    const clear = await token('ci', ['--auth-url', 'http://idp.example.com'])
    assert.match(clear.stderr, /would send the client secret without encryption/)
  })
})

test('agctl completion', async (t) => {
  const script = async (shell: string) => {
    const file = join(mkdtempSync(join(tmpdir(), 'agctl-completion-')), shell)
    writeFileSync(file, (await runAgctlProgram(['completion', shell])).stdout)
    t.after(() => {
      rmSync(join(file, '..'), { recursive: true })
    })
    return file
  }
  const skip = (shell: string) => findProgram(shell) === undefined && `there is no ${shell}`
  const output = async (program: string, args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, args)
    return stdout
  }

  await t.test('works in bash', { skip: skip('bash') }, async () => {
    const file = await script('bash')
    const complete = async (...words: string[]) =>
      output('bash', [
        '-c',
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _agctl; echo "${COMPREPLY[*]}"',
        'x',
        file,
        ...words,
      ])
    assert.equal(await complete('agctl', 'pro'), 'proxy\n')
    assert.match(await complete('agctl', 'proxy', 'config', ''), /^all listeners routes policies /)
    assert.match(await complete('agctl', 'proxy', 'config', 'routes', '--lo'), /^--local\n$/)
    assert.equal(await complete('agctl', 'proxy', 'config', 'routes', '-o', ''), 'table wide json yaml\n')
    assert.equal(await complete('agctl', 'proxy', 'trace', '--', 'h'), '\n')
  })

  await t.test('works in fish', { skip: skip('fish') }, async () => {
    const file = await script('fish')
    const words = await output('fish', [
      '--no-config',
      '-c',
      `source ${file}; complete -C "agctl proxy config "`,
    ])
    assert.match(words, /^routes\tLists routes/m)
  })

  await t.test('works in zsh', { skip: skip('zsh') }, async () => {
    const file = await script('zsh')
    const text =
      'compdef() { :; }; _describe() { print -l -- "${(@P)2}"; }; source "$1"; words=(agctl proxy config ""); CURRENT=4; _agctl'
    const words = await output('zsh', ['-f', '-c', text, 'x', file])
    assert.match(words, /^routes:Lists routes/m)
  })
})

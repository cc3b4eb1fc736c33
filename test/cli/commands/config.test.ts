import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { runAgctlBatch } from '../../support/cli/agctl-batch.ts'

const good = `gateways:\n  default:\n    port: \${PORT}\nroutes: [{ backends: [{ host: 'a.test:80' }] }]\n`
const bad = `gateways:\n  default: { port: 70000 }\nroutes:\n  - matches: [{ path: { pathPrefix: v1 } }]\n    backends: [{ host: 'a.test:80', wieght: 1 }]\n`
const suspicious = `gateways: { default: { port: 3000 } }\nroutes:\n  - { name: a, backends: [{ host: 'a.test:80' }] }\n  - { name: b, backends: [{ host: 'b.test:80' }] }\n`

test('agctl config', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'agctl-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const goodFile = await file('good.yaml', good)
  const badFile = await file('100%,bad:.yaml', bad)
  const suspiciousFile = await file('suspicious.yaml', suspicious)
  const envFile = await file('env', '# variables\nPORT="3100"\n')
  const missing = join(folder, 'missing.yaml')
  const check = (...args: readonly string[]) => ['config', 'check', ...args]
  const explain = (...args: readonly string[]) => ['config', 'explain', ...args]
  const named = {
    errors: check(badFile, suspiciousFile),
    github: check('--format', 'github', badFile),
    json: check('--format', 'json', goodFile, badFile, suspiciousFile, missing),
    strict: check('--strict', suspiciousFile),
    warnings: check(suspiciousFile),
    unset: check(goodFile),
    set: check('-e', 'PORT=3000', goodFile),
    fromFile: check('--env-file', envFile, goodFile),
    overridden: check('--env-file', envFile, '-e', 'PORT=none', goodFile),
    noPair: check('-e', 'PORT', goodFile),
    noEnvFile: check('--env-file', missing, goodFile),
    twice: check('-', '-'),
    format: check('--format', 'xml', goodFile),
    none: check(),
    noUrl: explain(goodFile, '--'),
    noOption: explain(suspiciousFile, '--', 'http://a.test:3000/', '--frob'),
    noPort: explain(suspiciousFile, '--', 'http://a.test:4000/'),
    gateway: explain('--gateway', 'default', '-o', 'json', suspiciousFile, '--', 'https://a.test/'),
    noGateway: explain('--gateway', 'other', suspiciousFile, '--', 'http://a.test/'),
    claims: explain('--jwt-claims', '[]', suspiciousFile, '--', 'http://a.test:3000/'),
    invalid: explain(badFile, '--', 'http://a.test:3000/'),
    text: explain(suspiciousFile, '--', 'http://a.test:3000/b/../c', '-H', 'x: y', '-d', '{}'),
    equal: ['config', 'diff', '--exit-code', suspiciousFile, suspiciousFile],
    differs: ['config', 'diff', '--exit-code', '-e', 'PORT=3000', suspiciousFile, goodFile],
    noRequests: ['config', 'diff', '--requests', envFile, suspiciousFile, suspiciousFile],
  } as const
  const runs = await runAgctlBatch(Object.values(named), { PORT: undefined })
  const results = Object.fromEntries(Object.keys(named).map((name, i) => [name, runs[i]]))
  const run = (name: keyof typeof named) => results[name] ?? assert.fail(name)
  const codes = (...names: readonly (keyof typeof named)[]) => names.map((name) => run(name).code)

  await t.test('check prints every problem with location, value, expectation and hint', () => {
    const { code, stdout, stderr } = run('errors')
    assert.equal(code, 1)
    assert.match(stdout, /bad:\.yaml:2:20: gateways\.default\.port: 70000 .*65535/)
    assert.match(
      stdout,
      /bad:\.yaml:4:37: routes\[0\]\.matches\[0\]\.path\.pathPrefix: "v1" must .*\n {4}hint: did you mean "\/v1"\?/,
    )
    assert.match(stdout, /routes\[0\]\.backends\[0\].*wieght.*\n {4}hint: .*weight/)
    assert.match(stdout, /suspicious\.yaml:4:\d+: warning: /)
    assert.match(stderr, /^Error: 3 problems in .*bad:\.yaml\n/)
  })

  await t.test('check escapes what GitHub would read as the end of a property', () => {
    const lines = run('github').stdout.trim().split('\n')
    assert.equal(lines.length, 3)
    for (const line of lines)
      assert.match(line, /^::error file=[^,:]*100%25%2Cbad%3A\.yaml,line=\d+,col=\d+,title=[^,:]+::[^\n]+$/)
    assert.ok(lines.some((line) => line.includes('%0Ahint: ')))
  })

  await t.test('check prints JSON with a list of findings for each file', () => {
    const { code, stdout } = run('json')
    const { errors, warnings, files } = JSON.parse(stdout) as {
      errors: number
      warnings: number
      files: { file: string; findings: Record<string, unknown>[] }[]
    }
    assert.deepEqual(
      [code, errors, warnings, files.map(({ findings }) => findings.length)],
      [1, 5, 1, [1, 3, 1, 1]],
    )
    assert.deepEqual(files[1]?.findings[0], {
      severity: 'error',
      file: badFile,
      line: 2,
      column: 20,
      path: 'gateways.default.port',
      value: '70000',
      expectation: files[1]?.findings[0]?.expectation,
    })
    assert.deepEqual(
      [files[3]?.findings[0]?.line, files[3]?.findings[0]?.expectation],
      [0, 'there is no such file'],
    )
  })

  await t.test('check fails for warnings only if it is strict', () => {
    assert.deepEqual(codes('strict', 'warnings'), [1, 0])
  })

  await t.test('check substitutes variables of -e, of --env-file and of the environment', () => {
    assert.deepEqual(codes('unset', 'set', 'fromFile', 'overridden'), [1, 0, 0, 1])
    assert.match(
      run('unset').stdout,
      /good\.yaml:3:11: .*environment variable PORT is not set\n {4}hint: write \$\{PORT:-default\}/,
    )
  })

  await t.test('reads a configuration from standard input', async () => {
    const { code, stdout } = await runAgctlProgram(check('--format', 'json', '-'), { input: bad })
    const { files } = JSON.parse(stdout) as { files: { findings: { file: string }[] }[] }
    assert.deepEqual([code, files[0]?.findings[0]?.file], [1, '<stdin>'])
  })

  await t.test('ends with 2 for wrong arguments, and says what is expected', () => {
    const wrong = [
      'noPair',
      'noEnvFile',
      'twice',
      'format',
      'none',
      'noUrl',
      'noOption',
      'claims',
      'noRequests',
    ] as const
    assert.deepEqual(
      codes(...wrong),
      wrong.map(() => 2),
    )
    assert.match(run('noPair').stderr, /-e NAME=VALUE/)
    assert.match(run('noOption').stderr, /--frob is not known here/)
    assert.match(run('noRequests').stderr, /has no requests\nExpected: trace events/)
    for (const name of wrong) assert.doesNotMatch(run(name).stderr, /^ {4}at /m)
  })

  await t.test('explain finds the gateway by port or by name', () => {
    assert.deepEqual(codes('noPort', 'noGateway', 'gateway'), [2, 2, 0])
    assert.match(
      run('noPort').stderr,
      /nothing listens on port 4000\n--gateway NAME chooses one; there are default/,
    )
    const { verdicts } = JSON.parse(run('gateway').stdout) as { verdicts: unknown[] }
    assert.deepEqual(verdicts, [{ kind: 'closed', why: 'no listener of the port terminates TLS' }])
  })

  await t.test('explain refuses an invalid configuration with its problems', () => {
    assert.equal(run('invalid').code, 1)
    assert.match(
      run('invalid').stderr,
      /routes\[0\]\.matches\[0\]\.path\.pathPrefix.*\n[^]*agctl config check/,
    )
  })

  await t.test('explain prints verdict, route, backend and why not the others', () => {
    const { code, stdout } = run('text')
    assert.equal(code, 0)
    for (const expected of [
      /^POST http:\/\/a\.test:3000\/b\/\.\.\/c\n\(matched as \/c\)\n/,
      /\nVerdict\n {2}forwarded to .*a\/backend0 \(static\): POST \/c\n {4}host: a\.test\n/,
      /\n {4}content-type: application\/x-www-form-urlencoded\n/,
      /\nRoute\n {2}default\/a by prefix "\/" {3}.*suspicious\.yaml:3 routes\[0\]\n/,
      /b: precedence: it matches as well, but .* comes first in the file/,
    ])
      assert.match(stdout, expected)
  })

  await t.test('diff ends with 1 for a difference if it is asked to', () => {
    assert.deepEqual(codes('equal', 'differs'), [0, 1])
    assert.equal(run('equal').stdout, 'The resources are equal.\n')
    assert.match(run('differs').stdout, /^- route default\/a .*suspicious\.yaml:3 routes\[0\]$/m)
  })
})

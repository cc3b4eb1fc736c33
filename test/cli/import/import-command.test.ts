import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runAgctlProgram } from '../../support/cli/agctl.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-'))
after(() => rmSync(folder, { recursive: true }))
const input = 'test/cli/import/goldens/nginx.input.conf'

test('agctl config import', { concurrency: 2 }, async (t) => {
  await t.test('writes a file for its owner alone, and the findings as JSON', async () => {
    const output = join(folder, 'gateway.yaml')
    const { code, stdout, stderr } = await runAgctlProgram([
      'config',
      'import',
      '--from',
      'nginx',
      input,
      '-o',
      output,
      '--format',
      'json',
    ])
    assert.deepEqual([code, stdout], [0, ''])
    const { findings } = JSON.parse(stderr) as { findings: Record<string, unknown>[] }
    assert.deepEqual(
      findings.find(({ subject }) => subject === 'gzip on'),
      {
        kind: 'dropped',
        file: input,
        line: 8,
        column: 5,
        subject: 'gzip on',
        reason: 'responses are not compressed',
        hint: 'compress at the backend',
      },
    )
    assert.match(readFileSync(output, 'utf8'), /^# Imported from .*\n/)
    assert.equal(statSync(output).mode & 0o777, 0o600)
  })

  await t.test(
    'fails with --strict if anything was not carried over, and prints the result anyway',
    async () => {
      const { code, stdout, stderr } = await runAgctlProgram(
        ['config', 'import', '--from', 'nginx', '-', '--strict'],
        {
          input: 'server { listen 80; gzip on; return 204; }',
        },
      )
      assert.equal(code, 1)
      assert.match(stdout, /status: 204/)
      assert.match(stderr, /<stdin>:1:21 +not carried over +gzip on +responses are not compressed\n/)
      assert.match(stderr, /Error: 1 part was not carried over/)
    },
  )

  await t.test('keeps an existing file, and refuses unknown gateways', async () => {
    const output = join(folder, 'existing.yaml')
    writeFileSync(output, 'mine')
    const kept = await runAgctlProgram(['config', 'import', '--from', 'nginx', input, '-o', output])
    assert.equal(kept.code, 1)
    assert.match(kept.stderr, /exists\n--force replaces it\./)
    assert.equal(readFileSync(output, 'utf8'), 'mine')
    assert.equal((await runAgctlProgram(['config', 'import', '--from', 'kong', input])).code, 2)
  })
})

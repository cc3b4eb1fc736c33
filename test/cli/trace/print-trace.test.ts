import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAgctlProgram } from '../../support/cli/agctl.ts'

const args = ['proxy', 'trace', '-f', 'test/vectors/reference/trace_no_route.sse']

test('without a terminal, a trace is a line for each request, with a hint unless it was requested', async () => {
  const [plain, summary] = await Promise.all([runAgctlProgram(args), runAgctlProgram([...args, '--summary'])])
  assert.match(plain.stdout, /^GET \S+ 404 .*route=none.*\n$/)
  assert.match(plain.stderr, /^no terminal: these are the lines of --summary; --raw prints the events\n$/)
  assert.deepEqual([summary.stdout, summary.stderr], [plain.stdout, ''])
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { traceRecord } from '../../../../src/cli/trace/trace-record.ts'
import { curlCommand, shellQuoted } from '../../../../src/cli/trace/tui/curl-command.ts'
import type { TraceEvent } from '../../../../src/model/trace/trace-event.ts'

const commandOf = (
  request: { method?: string; uri?: string; headers?: Record<string, string | string[]> },
  body?: string,
) => {
  const state = {
    request: {
      method: 'GET',
      uri: 'http://shop.example.com/cart?a=[1]',
      path: '/cart',
      pathAndQuery: '/cart?a=[1]',
      host: 'shop.example.com',
      scheme: 'http',
      version: 'HTTP/1.1',
      headers: {},
      startTime: '',
      ...request,
    },
    proxy: { bind: 'b' },
    env: {},
  } as const
  const messages: TraceEvent['message'][] = [
    { type: 'requestSnapshot', stage: 'initial request', requestState: state },
  ]
  if (body !== undefined)
    messages.push({
      type: 'bodySnapshot',
      stage: 'final request',
      body: Buffer.from(body).toString('base64'),
    })
  const events = messages.map((message) => ({
    eventStart: null,
    eventEnd: 0,
    severity: 'info',
    message,
    requestId: '1',
  }))
  return curlCommand(traceRecord(events as TraceEvent[]))
}

/** The arguments that a shell passes to curl. */
const argumentsOf = (command: string): string[] =>
  execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

test('a request as a curl command', async (t) => {
  await t.test('has method, headers and body, and a placeholder for credentials', () => {
    const headers = {
      host: 'shop.example.com',
      'content-length': '3',
      authorization: '<redacted>',
      'x-a': ['1', ''],
    }
    const { command, notes } = commandOf({ method: 'PUT', headers }, '@/etc/passwd')
    assert.deepEqual(argumentsOf(command), [
      '--globoff',
      '--path-as-is',
      '-X',
      'PUT',
      '-H',
      'authorization: <redacted>',
      '-H',
      'x-a: 1',
      '-H',
      'x-a;',
      '--data-raw',
      '@/etc/passwd',
      'http://shop.example.com/cart?a=[1]',
    ])
    assert.deepEqual(notes, ['Traces have no credentials: replace <redacted> with yours.'])
  })

  await t.test('leaves the shell nothing to interpret', () => {
    const evil = `'; touch /tmp/x; $(id) \`id\` \\ " \u001b[2J \r\u009b !`
    const { command } = commandOf(
      { method: "GET';id", headers: { 'x-a': evil, 'b c': '1', '-K': evil } },
      `{\n'a'}`,
    )
    const [, , , header, , dash, data, body] = argumentsOf(command)
    assert.deepEqual([header, dash, data, body], [`x-a: ${evil}`, `-K: ${evil}`, '--data-raw', `{\n'a'}`])
    assert.doesNotMatch(command.replaceAll('\n', ''), /\p{Cc}/u)
    assert.equal(
      argumentsOf(commandOf({ uri: '--output=/etc/x' }).command).at(-1),
      'http://shop.example.com/cart?a=[1]',
    )
    assert.equal(shellQuoted("it's"), `'it'\\''s'`)
  })

  await t.test('is a HEAD request, or says what is missing', () => {
    assert.match(commandOf({ method: 'HEAD' }).command, /-I/)
    assert.deepEqual(commandOf({ method: 'POST' }).notes, ['The body is not traced; --bodies adds it.'])
    assert.deepEqual(commandOf({ method: 'POST' }, '\u0000').notes, [
      'The body is not text, and is left out.',
    ])
    assert.deepEqual(curlCommand(traceRecord([])), {
      command: '',
      notes: ['The trace does not have this request.'],
    })
  })
})

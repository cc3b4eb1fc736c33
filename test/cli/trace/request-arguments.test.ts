import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequestArguments } from '../../../src/cli/trace/request-arguments.ts'
import { planTrace, type TraceOptions } from '../../../src/cli/trace/trace-options.ts'

const plan = (options: Partial<TraceOptions>, before: readonly string[] = [], after?: readonly string[]) =>
  planTrace({ proxyAdminPort: '15000', ...options }, { before, after })

test('the arguments of a traced request', async (t) => {
  await t.test('are those of curl, attached or not', () => {
    const args = parseRequestArguments(
      '-XPUT|-H|X-A: b|--header=X-A: c|-d|a=1|--data|b=2|-k|-s|--resolve|x.example:80:[::1]|http://x.example/y?z'.split(
        '|',
      ),
    )
    assert.deepEqual(
      [args.method, args.body?.toString(), args.isInsecure, args.urls[0]?.href, [...args.resolve]],
      ['PUT', 'a=1&b=2', true, 'http://x.example/y?z', [['x.example:80', '::1']]],
    )
    assert.deepEqual(args.headers, [
      ['X-A', 'b'],
      ['X-A', 'c'],
      ['content-type', 'application/x-www-form-urlencoded'],
    ])
    assert.equal(parseRequestArguments(['-d', '', 'http://x']).method, 'POST')
  })

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /must include at least one http:\/\/ or https:\/\/ URL$/],
    [['http://a', 'http://b:1'], /must use the same host, found "a" and "b:1"$/],
    [['-X'], /-X needs a value/],
    [['-X', 'A B'], /invalid method A B/],
    [['-H', 'a: b\r\nc: d'], /invalid header/],
    [['-o', 'x'], /unknown request argument -o/],
    [['--resolve', 'x'], /invalid --resolve x/],
    [['-d', '@/nowhere/x'], /cannot read \/nowhere\/x/],
  ]
  for (const [args, message] of wrong)
    await t.test(`are refused: ${JSON.stringify(args)}`, () => {
      assert.throws(() => parseRequestArguments(args), message)
    })
})

test('the options of a trace', async (t) => {
  const url = ['http://a/']
  const wrong: readonly (readonly [Parameters<typeof plan>, RegExp])[] = [
    [[{}, ['a', 'b']], /accepts at most 1 resource arg, received 2$/],
    [[{ local: true }, ['a']], /--local does not accept a resource argument$/],
    [[{ file: 'x' }, ['a']], /--file does not accept a resource argument$/],
    [[{ file: 'x', local: true }], /at most one of --file or --local may be passed$/],
    [[{ file: 'x', expression: 'true' }], /--file does not accept --expression$/],
    [[{ file: 'x' }, [], url], /--file does not accept a request URL after --$/],
    [[{}, [], url], /a request URL requires --port$/],
    [[{ port: '80' }], /--port requires a request URL after --$/],
    [[{ port: '0' }, [], url], /invalid --port 0$/],
    [[{ raw: true, summary: true }], /at most one of --raw or --summary may be passed$/],
    [[{ follow: true, count: '2' }], /--count and --follow exclude each other$/],
    [[{ count: '0' }], /invalid --count 0/],
  ]
  for (const [args, message] of wrong)
    await t.test(`are refused: ${String(message)}`, () => {
      assert.throws(() => plan(...args), message)
    })

  await t.test('trace as many requests as there are URLs', () => {
    assert.equal(plan({ port: '80' }, [], ['http://a/1', 'http://a/2']).count, 2)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { everythingTarget, httpTarget, sseTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { type RawMcpResponse, RawMcp } from '../../support/mcp/raw-mcp.ts'

type Params = Record<string, unknown>

/** Calls without client input. */
const calls: readonly (readonly [method: string, params?: Params])[] = [
  ['tools/list'],
  ['prompts/list'],
  ['resources/list'],
  ['resources/templates/list'],
  ...[
    'test_simple_text',
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_error_handling',
    'test_tool_with_logging',
    'nothing',
  ].map((name) => ['tools/call', { name, arguments: {} }] as const),
  [
    'tools/call',
    { name: 'json_schema_2020_12_tool', arguments: { name: 'Zoë 🦆', address: { city: 'a\nb' } } },
  ],
  ['tools/call', { name: 'test_tool_with_progress', _meta: { progressToken: 'p-1' } }],
  ['prompts/get', { name: 'test_simple_prompt' }],
  ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }],
  ['prompts/get', { name: 'test_prompt_with_image' }],
  ['prompts/get', { name: 'nothing' }],
  ['resources/read', { uri: 'test://static-text' }],
  ['resources/read', { uri: 'test://static-binary' }],
  ['resources/read', { uri: 'test://template/7/data' }],
  ['resources/read', { uri: 'test://nothing' }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'par' },
    },
  ],
  ['unknown/method'],
]

suite('replies through the gateway equal those of the server', { concurrency: 2 }, () => {
  const legacyCalls = [...calls, ['ping'], ['logging/setLevel', { level: 'debug' }]] as typeof calls

  for (const kind of ['streamable HTTP', 'the older transport', 'a program'] as const)
    test(`in 2025-11-25, over ${kind}`, async () => {
      await using server = await startEverything()
      await using gateway = await startMcpDaemon([
        kind === 'streamable HTTP'
          ? httpTarget('everything', server.url)
          : kind === 'a program'
            ? everythingTarget('everything')
            : sseTarget('everything', server.origin),
      ])
      const direct = new RawMcp(server.url)
      const through = new RawMcp(gateway.url)
      const opened = { through: await through.open(), direct: await direct.open() }
      assert.deepEqual(masked(opened.through), masked(opened.direct))
      assert.ok(opened.through.session)
      assert.deepEqual(
        await all(legacyCalls, (method, params) => through.legacy(method, params)),
        await all(legacyCalls, (method, params) => direct.legacy(method, params)),
      )
    })

  for (const kind of ['streamable HTTP', 'a program'] as const)
    test(`in 2026-07-28, over ${kind}`, async () => {
      await using server = await startEverything()
      await using gateway = await startMcpDaemon([
        kind === 'a program' ? everythingTarget('everything') : httpTarget('everything', server.url),
      ])
      const direct = new RawMcp(server.url)
      const through = new RawMcp(gateway.url)
      const modernCalls = [
        ['server/discover'],
        ...calls,
        ['tools/call', { name: 'test_input_required_result_elicitation', arguments: {} }],
        ['tools/call', { name: 'test_input_required_result_list_roots', arguments: {} }],
        ['prompts/get', { name: 'test_input_required_result_prompt' }],
      ] as typeof calls
      assert.deepEqual(
        await all(modernCalls, (method, params) => through.modern(method, params)),
        await all(modernCalls, (method, params) => direct.modern(method, params)),
      )
    })
})

const all = async (
  list: typeof calls,
  send: (method: string, params?: Params) => Promise<RawMcpResponse>,
): Promise<Record<string, unknown>> => {
  const answers: Record<string, unknown> = {}
  for (const [method, params] of list)
    answers[`${method} ${JSON.stringify(params)}`] = masked(await send(method, params))
  return answers
}

/** Without request states, which may be sealed again, and revisions, to which a gateway adds its own. */
const masked = ({ status, messages }: RawMcpResponse) => ({
  status,
  messages: JSON.parse(
    JSON.stringify(messages, (key, value: unknown) =>
      key === 'requestState' || key === 'supportedVersions' ? 'some' : value,
    ),
  ) as unknown,
})

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { format, resolveConfig } from 'prettier'
import { executedFiles, type Send } from '../support/executed-files.ts'
import { post, get } from '../support/kept-requests.ts'

/** Ports that the system chooses, and one listener. */
const head = `config: { adminAddr: '127.0.0.1:0', statsAddr: '127.0.0.1:0', readinessAddr: '127.0.0.1:0' }
gateways: { default: { port: 0, address: 127.0.0.1 } }
`
const completion = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const META = 'io.modelcontextprotocol/'
const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'echo',
    arguments: { text: 'hi' },
    _meta: {
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientInfo`]: { name: 'walk', version: '1' },
      [`${META}clientCapabilities`]: {},
    },
  },
}

interface Walk {
  readonly name: string
  readonly configuration: (host: string) => string
  readonly send: Send
}

const walks: readonly Walk[] = [
  {
    name: 'get',
    configuration: (host) => `${head}routes:\n  - backends: [{ host: '${host}' }]\n`,
    send: (url, agent) => get(`${url}/`, agent),
  },
  {
    name: 'chat',
    configuration: (host) =>
      `${head}llm:\n  gateways: [default]\n  models: [{ name: '*', provider: openai, params: { apiKey: sk-of-the-gateway, baseUrl: 'http://${host}/v1' } }]\n`,
    send: (url, agent) =>
      post(`${url}/v1/chat/completions`, agent, {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'hi' }],
      }),
  },
  {
    name: 'tool',
    configuration: () =>
      `${head}mcp:\n  gateways: [default]\n  targets:\n    - name: demo\n      stdio: { cmd: ${process.execPath}, args: [${new URL('../../config/demo-mcp-server.js', import.meta.url).pathname}] }\n`,
    send: (url, agent) =>
      post(`${url}/mcp`, agent, call, {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'echo',
      }),
  },
]

/** The stages of a request in order. */
const rooms = ['streams', 'pipeline', 'operators', 'upstream', 'protocols', 'cel', 'model', 'sinks', '']

const roomOf = (path: string): number => {
  const at = rooms.findIndex((room) => path.startsWith(`src/${room}/`))
  return at < 0 ? rooms.length : at
}

/** Rows of a table: each folder once, with its files and their line counts. */
const tableOf = (files: readonly string[]): string => {
  const folders = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf('/')))
  const rows = [...folders]
    .sort(([a], [b]) => roomOf(`${a}/`) - roomOf(`${b}/`) || (a < b ? -1 : 1))
    .map(([folder, inside]) => {
      const names = inside.map((file) => `${file.slice(folder.length + 1)} ${linesOf(file)}`)
      return `| \`${folder}\` | ${names.join(', ')} |`
    })
  const total = files.reduce((sum, file) => sum + linesOf(file), 0)
  return [
    `${files.length} files, ${total} lines:`,
    '',
    '| Folder | Files, and their lines |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

/** The files that a table lists. */
const filesOf = (table: string): ReadonlySet<string> =>
  new Set(
    [...table.matchAll(/^\| `(\S+)`\s*\| (.*?)\s*\|$/gm)].flatMap(([, folder, names = '']) =>
      [...names.matchAll(/([\w.-]+\.ts) \d+/g)].map(([, name]) => `${folder}/${name}`),
    ),
  )

/** Files and line counts that only one of two tables has. */
const differenceOf = (before: string, after: string): string => {
  const words = (table: string) => new Set(table.match(/[\w-]+\.ts \d+/g) ?? [])
  const [a, b] = [words(before), words(after)]
  const only = (these: ReadonlySet<string>, those: ReadonlySet<string>) =>
    [...these].filter((one) => !those.has(one)).join(', ') || 'nothing'
  return `ARCHITECTURE.md alone has ${only(a, b)}; coverage alone has ${only(b, a)}`
}

/** A listed file has to run in one of the attempts, and one that runs in all of them has to be listed. */
const ATTEMPTS = 5

/** Run by timers, once for many requests: whether one falls into a round depends on how fast the machine is. */
const timed: ReadonlySet<string> = new Set(['src/sinks/log/block-writer.ts'])

const linesOf = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 1

const section = (name: string): RegExp =>
  new RegExp(`(?<=<!-- files of ${name} -->\\n\\n)[^]*?(?=\\n<!-- end -->)`)

const upstream = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.setHeader('content-type', 'application/json').end(completion))
}).listen(0, '127.0.0.1')
// Taking coverage on a busy machine takes longer than the default of 5 s, after which the gateway would connect anew.
upstream.keepAliveTimeout = 120_000

test('the code walks of ARCHITECTURE.md', async (t) => {
  await once(upstream, 'listening')
  t.after(() => upstream.close())
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const options = { ...(await resolveConfig('ARCHITECTURE.md')), parser: 'markdown' }
  for (const { name, configuration, send } of walks)
    await t.test(
      `list every file that runs for a request of the kind "${name}", with its line count`,
      async () => {
        const page = readFileSync('ARCHITECTURE.md', 'utf8')
        const listed = section(name).exec(page)?.[0] ?? ''
        const before = filesOf(listed)
        const seen = new Set<string>()
        const idle = new Set<string>()
        let always: readonly string[] | undefined
        let files: readonly string[] = []
        for (let i = 0; i < ATTEMPTS; i++) {
          const executed = await executedFiles(configuration(host), send)
          for (const file of executed.ever) seen.add(file)
          for (const file of [...executed.idle, ...timed]) idle.add(file)
          always = (always ?? [...executed.usually]).filter((file) => executed.usually.has(file))
          // What also runs without a request may be listed or not: timers, and code that is late on a busy machine.
          const listedFiles = [...before].filter((file) => seen.has(file) && !timed.has(file))
          const unlisted = always.filter((file) => !idle.has(file) && !before.has(file))
          files = [...listedFiles, ...unlisted].sort()
          assert.ok(files.length > 20, 'coverage was taken')
          const formatted = await format(
            page.replace(section(name), () => tableOf(files)),
            options,
          )
          if (formatted === page) return
          if (process.env.UPDATE_WALKS && i === ATTEMPTS - 1) {
            writeFileSync('ARCHITECTURE.md', formatted)
            return
          }
        }
        const difference = differenceOf(listed, tableOf(files))
        assert.fail(`${difference}; run UPDATE_WALKS=1 node --test test/docs/walks.test.ts`)
      },
    )
})

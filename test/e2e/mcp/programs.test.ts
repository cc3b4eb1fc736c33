import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { cleanEnvironment, command } from '../../support/command.ts'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { pythonWithMcp } from '../../support/mcp/python-with-mcp.ts'

/** Some of these write to the home directory. */
const home = mkdtempSync(join(tmpdir(), 'mcp-home-'))
after(() => {
  rmSync(home, { recursive: true })
})

const modules = new URL('../../../node_modules/', import.meta.url).pathname

/** Common MCP programs. */
suite('MCP programs through the gateway', { concurrency: 2 }, () => {
  test('the Inspector lists and calls tools', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    const inspect = async (...args: readonly string[]) => {
      const program = `${modules}@modelcontextprotocol/inspector/clients/launcher/build/index.js`
      const transport = ['--cli', gateway.url, '--transport', 'http']
      const { status, stdout, stderr } = await command(process.execPath, [program, ...transport, ...args], {
        env: { HOME: home },
      })
      assert.equal(status, 0, stderr)
      return JSON.parse(stdout) as { tools?: { name: string }[]; content?: { text: string }[] }
    }
    const { tools } = await inspect('--method', 'tools/list')
    assert.equal(tools?.[0]?.name, 'test_simple_text')
    const { content } = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'test_x_mcp_header', '--tool-arg', 'region=eu'],
    )
    assert.equal(content?.[0]?.text, '{"region":"eu"}')
  })

  test('mcp-remote connects a stdio-only client', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    const client = new Client({ name: 'programs', version: '1.0.0' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [`${modules}mcp-remote/dist/proxy.js`, gateway.url, '--allow-http'],
        env: { ...cleanEnvironment(), HOME: home },
        stderr: 'ignore',
      }),
    )
    try {
      const { content } = await client.callTool({ name: 'test_simple_text' })
      assert.deepEqual(content, [{ type: 'text', text: 'This is a simple text response for testing.' }])
    } finally {
      await client.close()
    }
  })

  test('the Python client uses both transports', async (t) => {
    const python = await pythonWithMcp()
    if (python === undefined) {
      t.skip('there is no Python with the package `mcp` (name one in MCP_PYTHON)')
      return
    }
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    for (const mode of ['legacy', 'auto']) {
      const { status, stdout, stderr } = await command(python, ['-c', script, gateway.url, mode])
      assert.equal(status, 0, stderr)
      assert.deepEqual(JSON.parse(stdout), {
        first: 'test_simple_text',
        text: 'This is a simple text response for testing.',
        rounds: 'Ada likes red',
        resource: 'This is the content of the static text resource.',
      })
    }
  })
})

const script = `
import asyncio, json, sys
from mcp import Client, types

async def fill_in(context, params):
    return types.ElicitResult(action="accept", content={"name": "Ada", "color": "red"})

async def main(url, mode):
    async with Client(url, mode=mode, elicitation_callback=fill_in) as client:
        tools = await client.list_tools()
        text = await client.call_tool("test_simple_text", {})
        rounds = await client.call_tool("test_input_required_result_multi_round", {})
        resource = await client.read_resource("test://static-text")
        print(json.dumps({
            "first": tools.tools[0].name,
            "text": text.content[0].text,
            "rounds": rounds.content[0].text,
            "resource": resource.contents[0].text,
        }))

asyncio.run(main(*sys.argv[1:]))
`

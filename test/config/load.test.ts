import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { loadConfig, defaultLocations } from '../../src/config/load.ts'

const GATEWAY = 'gateways: {default: {port: 3000}}\n'
const folder = await mkdtemp(join(tmpdir(), 'load-config-'))
after(() => rm(folder, { recursive: true }))

test('loadConfig', async (t) => {
  await t.test('reads a file and returns its path for watching', async () => {
    const path = join(folder, 'gw.yaml')
    await writeFile(path, GATEWAY)
    const named: (readonly string[])[] = []
    const { resources, path: watched } = await loadConfig({ kind: 'file', path }, {}, (files) => {
      named.push(files)
    })
    assert.deepEqual([resources.binds[0]?.port, watched, named], [3000, path, [[]]])
  })

  await t.test('lets a file refer to neighbouring files', async () => {
    const path = join(folder, 'neighbours.yaml')
    await writeFile(path, 'routes: [{ name: "$CONFIG_DIR" }]\ngateways: { default: { port: 3000 } }\n')
    const nameOf = async (env: Record<string, string>) => {
      const { resources } = await loadConfig({ kind: 'file', path }, env)
      return resources.binds[0]?.listeners[0]?.routes[0]?.name
    }
    assert.equal(await nameOf({}), folder)
    assert.equal(await nameOf({ CONFIG_DIR: 'elsewhere' }), 'elsewhere')
    await assert.rejects(loadConfig({ kind: 'text', text: 'routes: [{ name: "$CONFIG_DIR" }]' }, {}), {
      message: /CONFIG_DIR/,
    })
  })

  await t.test('reads text from the command line, without files to watch', async () => {
    const loaded = await loadConfig({ kind: 'text', text: GATEWAY }, {})
    assert.equal('path' in loaded, false)
    await assert.rejects(loadConfig({ kind: 'text', text: 'a: 1' }, {}), {
      message: /^<command line>:1:1: a: unknown field/,
    })
  })

  for (const source of [{ kind: 'stdin' }, { kind: 'file', path: '/dev/stdin' }]) {
    await t.test(`reads ${JSON.stringify(source)} once`, async () => {
      const program = `import { loadConfig } from ${JSON.stringify(new URL('../../src/config/load.ts', import.meta.url).href)}
        const { resources, path } = await loadConfig(${JSON.stringify(source)}, {})
        console.log(resources.binds[0].port, path)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      child.stdin.end('gateways: {default: {port: 4711}}')
      assert.equal(await text(child.stdout), '4711 undefined\n')
    })
  }

  await t.test('finds a file in the default locations', async () => {
    const home = join(folder, 'home')
    const xdg = join(folder, 'xdg')
    for (const [base, port] of [
      [join(home, '.config'), 1],
      [xdg, 2],
    ] as const) {
      await mkdir(join(base, 'agentgateway'), { recursive: true })
      await writeFile(
        join(base, 'agentgateway', 'config.yaml'),
        `gateways: {default: {port: ${String(port)}}}`,
      )
    }
    const portOf = async (env: Record<string, string>) =>
      (await loadConfig({ kind: 'default' }, env)).resources.binds[0]?.port
    assert.equal(await portOf({ HOME: home }), 1)
    assert.equal(await portOf({ HOME: home, XDG_CONFIG_HOME: xdg }), 2)
    assert.deepEqual(defaultLocations({ XDG_CONFIG_HOME: '/x' }), [
      '/config/config.yaml',
      '/x/agentgateway/config.yaml',
    ])
  })

  await t.test('lists the searched locations if there is no file', async () => {
    const nowhere = join(folder, 'nowhere')
    await assert.rejects(loadConfig({ kind: 'default' }, { XDG_CONFIG_HOME: nowhere }), {
      name: 'ConfigError',
      message: [
        `agentgateway: no configuration: there is none in /config/config.yaml or ${nowhere}/agentgateway/config.yaml`,
        '    hint: name one with -f FILE, or give its text with -c TEXT',
      ].join('\n'),
    })
  })

  await t.test('explains why a file cannot be read', async () => {
    const binary = join(folder, 'binary.yaml')
    await writeFile(binary, Buffer.from([0x61, 0xff, 0xfe]))
    const messages: readonly (readonly [path: string, message: string])[] = [
      [join(folder, 'gone.yaml'), `${folder}/gone.yaml: there is no such file`],
      [folder, `${folder}: the configuration cannot be read: EISDIR`],
      [binary, `${binary}:1:1: the configuration is not UTF-8 text`],
    ]
    for (const [path, message] of messages) {
      await assert.rejects(loadConfig({ kind: 'file', path }, {}), { name: 'ConfigError', message })
    }
  })
})

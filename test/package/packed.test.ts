import assert from 'node:assert/strict'
import { cp, mkdir, mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { command } from '../support/command.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { heavyConfiguration } from '../support/heavy-configuration.ts'
import { demoSum } from '../support/mcp/demo-sum.ts'

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}
interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

const configuration = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - policies:
      directResponse: { status: 200, body: from the package }
`

/** What `npm pack` makes of a copy of the project that has never been built. */
const pack = async (into: string): Promise<Packed> => {
  const project = join(into, 'project')
  await mkdir(project)
  for (const path of ['src', 'config', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    await cp(path, join(project, path), { recursive: true })
  }
  for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md']) await cp(path, join(project, path))
  await symlink(resolve('node_modules'), join(project, 'node_modules'))
  const { status, stdout, stderr } = await command('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: project,
  })
  assert.equal(status, 0, stdout + stderr)
  // The build that runs before packing prints first.
  return (JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as Packed[])[0]!
}

test('the packed tarball', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'packed-'))
  const { version, exports } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  const entries = Object.keys(exports).map((key) => `agentgateway${key.slice(1)}`)
  const packed = await pack(folder.path)

  const home = join(folder.path, 'elsewhere')
  await mkdir(home)
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  const inHome = (program: string, ...args: string[]) => command(program, args, { cwd: home })
  const installed = await inHome('npm', 'install', '--prefer-offline', join(folder.path, packed.filename))
  assert.equal(installed.status, 0, installed.stderr)

  await t.test('holds the build, the configuration and the papers', () => {
    const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]!))
    assert.deepEqual([...tops].sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'config',
      'dist',
      'package.json',
    ])
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      'config/gateway.yaml',
      'config/demo-mcp-server.js',
      'config/schema.json',
      'dist/main.js',
      'dist/index.d.ts',
    ]) {
      assert.ok(paths.includes(path), path)
    }
  })

  await t.test('says its version through npx', async () => {
    const { status, stdout } = await inHome('npx', '--no-install', 'agentgateway', '--version')
    assert.equal(status, 0)
    assert.ok(stdout.includes(version), stdout)
  })

  await t.test('validates the configuration that it brings', async () => {
    const file = 'node_modules/agentgateway/config/gateway.yaml'
    const { status, stderr } = await inHome(
      'npx',
      '--no-install',
      'agentgateway',
      '-f',
      file,
      '--validate-only',
    )
    assert.equal(status, 0, stderr)
  })

  await t.test('serves, and ends by itself on SIGTERM', async () => {
    await using daemon = await startDaemon(configuration, {
      program: [join(home, 'node_modules/.bin/agentgateway')],
      cwd: home,
    })
    const answer = await fetch(daemon.url('default'))
    assert.equal(await answer.text(), 'from the package')
    assert.equal(await daemon.stop('SIGTERM'), 0)
  })

  await t.test('finds what it loads only for configurations that need it', async () => {
    await using daemon = await startDaemon(heavyConfiguration, {
      program: [join(home, 'node_modules/.bin/agentgateway')],
      cwd: home,
    })
    const answer = await fetch(daemon.url('default'))
    assert.equal(await answer.text(), 'all the same')
  })

  await t.test('serves the MCP server that it brings', async () => {
    const folder = join(home, 'node_modules/agentgateway/config')
    const brought = await readFile(join(folder, 'gateway.yaml'), 'utf8')
    await using daemon = await startDaemon(`${anyPorts}${brought.replaceAll(/port: \d+/g, 'port: 0')}`, {
      program: [join(home, 'node_modules/.bin/agentgateway')],
      cwd: home,
      env: { CONFIG_DIR: folder },
    })
    assert.equal(await demoSum(`${daemon.url('default')}/mcp`), '42')
  })

  await t.test('exports its entries, and nothing else resolves', async () => {
    const found = `console.log((await Promise.all(${JSON.stringify(entries)}.map((e) => import(e)))).every((m) => Object.keys(m).length > 0))`
    assert.equal((await inHome('node', '--input-type=module', '-e', found)).stdout, 'true\n')
    for (const hidden of ['agentgateway/dist/main.js', 'agentgateway/gateway', 'agentgateway/package.json']) {
      const { status, stderr } = await inHome(
        'node',
        '--input-type=module',
        '-e',
        `await import('${hidden}')`,
      )
      assert.equal(status, 1)
      assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    }
  })

  await t.test('shares its rxjs with the program that uses it', async () => {
    const { stdout } = await inHome('npm', 'ls', '--all', '--parseable', 'rxjs')
    assert.deepEqual(stdout.trim().split('\n'), [join(home, 'node_modules/rxjs')])
  })

  await t.test('is enough for the example of an operator, its types and its tests', async () => {
    await cp('examples/custom-operator', join(home, 'example'), { recursive: true })
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')]
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--allowImportingTsExtensions',
    ]
    const checked = await inHome(
      resolve('node_modules/.bin/tsc'),
      ...flags,
      ...types,
      'example/check.test.ts',
    )
    assert.equal(checked.status, 0, checked.stdout)
    const ran = await inHome('node', '--test', 'example/check.test.ts')
    assert.equal(ran.status, 0, ran.stdout)
    assert.match(ran.stdout, /^ℹ pass [1-9]/m)
  })
})

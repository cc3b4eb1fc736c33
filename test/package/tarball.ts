import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestContext } from 'node:test'
import { command } from '../support/command.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { decodeProfile } from '../support/decode-profile.ts'
import { heavyConfiguration } from '../support/heavy-configuration.ts'
import { demoSum } from '../support/mcp/demo-sum.ts'
import { REVISION } from './image.ts'
import { pack } from './pack.ts'

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}
interface Lock {
  readonly packages: Readonly<Record<string, unknown>>
}

const configuration = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - policies:
      directResponse: { status: 200, body: from the package }
`

/** As the README states it. */
const smallestTypeScript = '5.7.3'

/**
 * Packs a copy of the project, whose build is in `built`, installs that in another folder under `folder`, and tests it
 * there.
 */
export const testTarball = async (t: TestContext, folder: string, built: string): Promise<void> => {
  const { version, exports } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  const entries = Object.keys(exports).map((key) => `agentgateway${key.slice(1)}`)
  const packed = await pack(built, folder)

  const home = join(folder, 'elsewhere')
  await mkdir(home)
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }')
  const inHome = (program: string, ...args: string[]) => command(program, args, { cwd: home })
  const tarball = join(folder, packed.filename)
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  const installed = await inHome('npm', 'install', ...options, tarball, `typescript@${smallestTypeScript}`)
  assert.equal(installed.status, 0, installed.stderr)

  const program = join(home, 'node_modules/.bin/agentgateway')
  // Compiled code of one process is no use to others; without this the cache of all tests keeps the paths of this
  // run.
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const onNode = (...args: string[]) => command('node', args, { cwd: home, env })

  await t.test('contains the build, the configuration and the documents', () => {
    const tops = new Set(packed.files.map(({ path }) => path.split('/')[0]!))
    assert.deepEqual([...tops].sort(), [
      ...['ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
      ...['config', 'conformance', 'deploy', 'dist', 'docs', 'examples', 'package.json'],
    ])
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      'config/gateway.yaml',
      'config/demo-mcp-server.js',
      'config/schema.json',
      'dist/programs/agentgateway.js',
      'dist/index.d.ts',
    ]) {
      assert.ok(paths.includes(path), path)
    }
  })

  await t.test('contains the source map of every module', async () => {
    const paths = new Set(packed.files.map(({ path }) => path))
    // Those of packages have none.
    const modules = [...paths].filter((path) => /^dist\/(?!programs\/).*(?<!-library)\.js$/.test(path))
    assert.ok(modules.length > 500)
    assert.deepEqual(
      modules.filter((path) => !paths.has(`${path}.map`)),
      [],
    )
    assert.ok(paths.has('dist/programs/agentgateway.js.map'))
    const text = await readFile(join(home, 'node_modules/agentgateway/dist/admin/endpoint.js.map'), 'utf8')
    assert.deepEqual((JSON.parse(text) as { sources: string[] }).sources, ['../../src/admin/endpoint.ts'])
  })

  await t.test('contains every file that its README links to', async () => {
    const paths = packed.files.map(({ path }) => path)
    const links = [...(await readFile('README.md', 'utf8')).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
      ([, link]) => link!,
    )
    assert.ok(links.length > 20)
    const missing = links.filter(
      (link) => !paths.some((path) => path === link || path.startsWith(`${link}/`)),
    )
    assert.deepEqual(missing, [])
  })

  await t.test('prints its version through npx', async () => {
    const { status, stdout } = await inHome('npx', '--no-install', 'agentgateway', '--version')
    assert.equal(status, 0)
    // The packed build is that of the image, from sources without history.
    assert.partialDeepStrictEqual(JSON.parse(stdout), { version, gitRevision: REVISION })
  })

  await t.test('has the control plane as a program and as a command', async () => {
    const commands = [['agentgateway-controller'], ['agentgateway', 'controller']] as const
    for (const [name, ...args] of commands) {
      const run = (more: string[], settings: Record<string, string>) =>
        command(join(home, 'node_modules/.bin', name), [...args, ...more], {
          cwd: home,
          env: { ...env, ...settings },
        })
      const told = await run(['--version'], {})
      assert.equal(told.status, 0, told.stderr)
      assert.partialDeepStrictEqual(JSON.parse(told.stdout), { version, gitRevision: REVISION })
      const lost = await run([], { KUBECONFIG: join(home, 'no-such-file') })
      assert.equal(lost.status, 1)
      assert.match(lost.stderr, /^no access to a cluster: ENOENT: [^\n]+\n$/)
    }
  })

  await t.test('validates the bundled configuration', async () => {
    const file = 'node_modules/agentgateway/config/gateway.yaml'
    const { status, stderr } = await command(program, ['-f', file, '--validate-only'], { cwd: home, env })
    assert.equal(status, 0, stderr)
  })

  await t.test('starts, and exits on SIGTERM', async () => {
    await using daemon = await startDaemon(configuration, {
      program: [program],
      cwd: home,
      env,
    })
    const answer = await fetch(daemon.url('default'))
    assert.equal(await answer.text(), 'from the package')
    await testProfile(daemon)
    assert.equal(await daemon.stop('SIGTERM'), 0)
  })

  await t.test('can load each part of its programs', async () => {
    const folder = join(home, 'node_modules/agentgateway/dist/programs')
    // Programs and threads do their work when they are loaded.
    const parts = (await readdir(folder)).filter((name) =>
      /^(?!(agentgateway|agentgateway-controller|agctl)\.js|late-.*-(password-thread|profile-worker)\.js).*\.js$/.test(
        name,
      ),
    )
    assert.ok(parts.length > 50)
    const urls = parts.map((name) => pathToFileURL(join(folder, name)).href)
    const load = `for (const url of ${JSON.stringify(urls)}) await import(url)`
    const { status, stderr } = await onNode('--input-type=module', '-e', load)
    assert.equal(status, 0, stderr)
  })

  await t.test('keeps compiled code for the next start, in a folder of the user', async () => {
    const start = async (more: Record<string, string>) => {
      await using daemon = await startDaemon(configuration, {
        program: [program],
        cwd: home,
        env: { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: join(folder, 'caches'), ...more },
      })
      assert.equal(await daemon.stop('SIGTERM'), 0)
      return daemon.output()
    }
    await start({})
    const cache = join(folder, 'caches/agentgateway')
    assert.equal((await stat(cache)).mode & 0o777, 0o700)
    assert.deepEqual(await readdir(cache), ['gateway'])
    const output = await start({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
    const accepted = output.match(/dist\/programs\/\S+ was accepted/g) ?? []
    assert.ok(accepted.length >= 5, output)
    assert.doesNotMatch(output, / was rejected/)
  })

  await t.test('loads the parts of its programs that a configuration needs, and no others', async () => {
    const partsOf = async (more: string): Promise<readonly string[]> => {
      await using daemon = await startDaemon(configuration + more, {
        program: [program],
        cwd: home,
        env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      })
      assert.equal(await daemon.stop('SIGTERM'), 0)
      const files = daemon.output().matchAll(/ for (?:ESM|CommonJS) \S+\/dist\/programs\/(\S+)\.js/g)
      // Without the hash of the content.
      return [...new Set(Array.from(files, ([, name]) => name!.replace(/(?<!^late.*)-[\w-]{8}$/, '')))].sort()
    }
    const plain = await partsOf('')
    assert.deepEqual(
      plain.filter((part) => !/^(agentgateway|prepare.*)$/.test(part)),
      ['command', 'packages-ga', 'packages-gca', 'rolldown-runtime', 'start-g', 'start-ga', 'start-gca'],
    )
    const added = async (more: string) => (await partsOf(more)).filter((part) => !plain.includes(part))
    const route = (fields: string) => `  - matches: [{ path: { pathPrefix: /x } }]\n    ${fields}\n`
    const model = await added('llm: { port: 0, models: [{ name: m, provider: mock }] }\n')
    assert.ok(model.includes('late-operators-llm-stage-llm-backend'), model.join())
    assert.ok(
      !model.some((part) => /mcp|azure|google|credentials|tokenizer|phone|grpc/.test(part)),
      model.join(),
    )
    const tools = await added(
      route('backends: [{ mcp: { targets: [{ name: a, mcp: { host: "http://127.0.0.1:1" } }] } }]'),
    )
    assert.ok(tools.includes('late-operators-mcp-stage-mcp-backend'), tools.join())
    assert.ok(
      !tools.some((part) => /llm|azure|google|credentials|tokenizer|phone|grpc/.test(part)),
      tools.join(),
    )
    const callout = await added(
      route('policies: { extAuthz: { host: "127.0.0.1:1", protocol: { grpc: {} } } }'),
    )
    assert.ok(callout.includes('late-operators-ext-authz-grpc-client'), callout.join())
    assert.ok(!callout.some((part) => /llm|mcp|azure|google|credentials/.test(part)), callout.join())
    // Libraries of clouds are loaded by the first request.
    const cloud = await added(
      route('backends: [{ host: "127.0.0.1:1", policies: { backendAuth: { azure: { implicit: {} } } } }]'),
    )
    assert.deepEqual(cloud, [])
  })

  await t.test('has programs that V8 keeps in a byte a character', async () => {
    const folder = join(home, 'node_modules/agentgateway/dist/programs')
    for (const name of await readdir(folder))
      if (/^(start-|packages-|late-).*\.js$/.test(name))
        assert.doesNotMatch(await readFile(join(folder, name), 'utf8'), /[^\0-\xff]/, name)
  })

  await t.test('loads optional modules only for configurations that need them', async () => {
    await using daemon = await startDaemon(heavyConfiguration, {
      program: [program],
      cwd: home,
      env,
    })
    const answer = await fetch(daemon.url('default'))
    assert.equal(await answer.text(), 'all the same')
  })

  await t.test('runs the bundled MCP server', async () => {
    const config = join(home, 'node_modules/agentgateway/config')
    const brought = await readFile(join(config, 'gateway.yaml'), 'utf8')
    await using daemon = await startDaemon(`${anyPorts}${brought.replaceAll(/port: \d+/g, 'port: 0')}`, {
      program: [program],
      cwd: home,
      env: { ...env, CONFIG_DIR: config },
    })
    assert.equal(await demoSum(`${daemon.url('default')}/mcp`), '42')
  })

  await t.test('resolves its entries, and nothing else', async () => {
    const found = `console.log((await Promise.all(${JSON.stringify(entries)}.map((e) => import(e)))).every((m) => Object.keys(m).length > 0))`
    assert.equal((await onNode('--input-type=module', '-e', found)).stdout, 'true\n')
    for (const hidden of [
      'agentgateway/dist/programs/agentgateway.js',
      'agentgateway/gateway',
      'agentgateway/package.json',
    ]) {
      const { status, stderr } = await onNode('--input-type=module', '-e', `await import('${hidden}')`)
      assert.equal(status, 1)
      assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    }
  })

  await t.test('shares its rxjs with the host program', async () => {
    const { packages } = JSON.parse(await readFile(join(home, 'package-lock.json'), 'utf8')) as Lock
    const places = Object.keys(packages).filter((path) => /(^|\/)node_modules\/rxjs$/.test(path))
    assert.deepEqual(places, ['node_modules/rxjs'])
  })

  await t.test('has types for the minimum TypeScript and lib in the README, for every entry', async () => {
    const readme = await readFile('README.md', 'utf8')
    assert.ok(readme.includes('TypeScript 5.7') && readme.includes('`lib` `es2022`'))
    const program = [
      ...entries.map((entry, i) => `import * as entry${i} from '${entry}'`),
      `console.log(${entries.map((_, i) => `entry${i}`).join(', ')})`,
      "new entry0.Trace().events$.subscribe(({ message }) => { if (message.type === 'policyEvent' && message.kind === 'retry') message.details.trim() })",
    ]
    await writeFile(join(home, 'entries.mts'), program.join('\n'))
    // Declarations of the package and of all its imports are checked as well: there is no `skipLibCheck`.
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022']
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')]
    const { stdout } = await onNode('node_modules/typescript/bin/tsc', '--version')
    assert.equal(stdout, `Version ${smallestTypeScript}\n`)
    const checked = await onNode('node_modules/typescript/bin/tsc', ...flags, ...types, 'entries.mts')
    assert.equal(checked.status, 0, checked.stdout)
  })

  await t.test('runs the example of an operator, with its types and its tests', async () => {
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
      // The test above checks the declarations.
      '--skipLibCheck',
    ]
    const checked = await inHome(
      resolve('node_modules/.bin/tsc'),
      ...flags,
      ...types,
      'example/check.test.ts',
    )
    assert.equal(checked.status, 0, checked.stdout)
    const ran = await onNode('--test', 'example/check.test.ts')
    assert.equal(ran.status, 0, ran.stdout)
    assert.match(ran.stdout, /^ℹ pass [1-9]/m)
  })
}

/** A profile of the installed package names the TypeScript sources. */
const testProfile = async (daemon: Daemon): Promise<void> => {
  if (process.platform !== 'linux') return
  const over = new AbortController()
  // Several clients: one alone would leave the gateway idle most of the time, and the profile without samples.
  const load = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) await (await fetch(daemon.url('default'))).text()
  })
  const isSource = (frame: string): boolean => /\/node_modules\/agentgateway\/src\/\S+\.ts:[1-9]/.test(frame)
  let frames: readonly string[] = []
  // A gateway that gets no processor has few samples.
  for (let i = 0; i < 10 && !frames.some(isSource); i++) {
    const profile = await fetch(`${daemon.url('admin')}/debug/pprof/profile?seconds=1&frequency=200`)
    const { stacks } = decodeProfile(new Uint8Array(await profile.arrayBuffer()))
    frames = stacks.flatMap((stack) => stack.frames)
  }
  over.abort()
  await Promise.all(load)
  assert.ok(frames.some(isSource), frames.join('\n'))
}

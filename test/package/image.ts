import assert from 'node:assert/strict'
import { readFile, readdir, rename, stat, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { command } from '../support/command.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { buildImage, execute, type Run, userId } from '../support/image/build-image.ts'
import { readDockerfile } from '../support/image/dockerfile.ts'
import { isInstalledHere } from '../support/image/installed-here.ts'
import { demoSum } from '../support/mcp/demo-sum.ts'

const configuration = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - policies:
      directResponse: { status: 200, body: from the image }
`

/**
 * Runs the given command, except a full installation (half a minute) if it cannot differ from the one that these tests
 * run with, which was just a clean install. npm still checks the lock file.
 */
const run: Run = async (line, cwd, user) => {
  if (line !== 'npm ci' || !(await isInstalledHere(cwd))) return execute(line, cwd, user)
  await execute('npm ci --dry-run', cwd)
  await symlink(resolve('node_modules'), join(cwd, 'node_modules'))
}

/** The build arguments and files of the image. */
export const REVISION = '0123456789abcdef0123456789abcdef01234567'

/** Builds the image in an empty folder and tests it. Each stage stays there, by its name. */
export const testImage = async (t: TestContext, folder: string): Promise<void> => {
  const text = await readFile('Dockerfile', 'utf8')
  const stages = readDockerfile(text)

  await t.test('passes dockerfilelint', async () => {
    const { status, stdout } = await command('node_modules/.bin/dockerfilelint', ['Dockerfile'])
    assert.equal(status, 0, stdout)
  })

  await t.test('ends in a distroless image of Node 24, which has no shell', () => {
    assert.match(stages.at(-1)!.image, /^gcr\.io\/distroless\/nodejs24-debian\d+:nonroot$/)
    assert.deepEqual(
      stages.at(-1)!.instructions.filter(({ word }) => word === 'RUN'),
      [],
    )
  })

  await t.test('builds from an empty folder with its own commands, and the result runs', async (t) => {
    const built = await buildImage(stages, resolve('.'), folder, run, { AGENTGATEWAY_GIT_REVISION: REVISION })
    // Paths are part of the keys of compiled code. In the image they are the same in each stage.
    const image = { ...built, root: join(folder, 'compiled') }
    await rename(image.root, join(folder, 'compiled-before'))
    await rename(built.root, image.root)
    const app = join(image.root, image.workdir)
    // Only root can switch users; otherwise the tests keep their own user.
    const uid = userId(image.user)
    const user = uid === undefined ? {} : { user: uid }
    // Compiled code of one process is no use to others; without this the cache of all tests keeps the paths of
    // this run.
    const env = { ...image.env, NODE_COMPILE_CACHE: join(folder, 'compiled-code') }
    const program = [join(image.root, image.entrypoint[0]!), ...image.entrypoint.slice(1)]

    await t.test('prints the commit that it was built from', async () => {
      const { stdout } = await command(program[0]!, [...program.slice(1), '--version'], { cwd: app, env })
      assert.partialDeepStrictEqual(JSON.parse(stdout), { gitRevision: REVISION })
    })

    await t.test('runs the control plane on request', async () => {
      const run = (...args: string[]) =>
        command(program[0]!, [...program.slice(1), 'controller', ...args], {
          cwd: app,
          env: { ...env, AGW_XDS_AUTH: 'perhaps' },
        })
      const { stdout } = await run('--version')
      assert.partialDeepStrictEqual(JSON.parse(stdout), { gitRevision: REVISION })
      const { status, stderr } = await run()
      assert.deepEqual([status, stderr], [1, 'AGW_XDS_AUTH: "perhaps" must be true or false\n'])
    })

    await t.test('contains only what is needed at run time', async () => {
      const entries = await readdir(app)
      assert.deepEqual(entries.sort(), ['LICENSE', 'config', 'dist', 'node_modules', 'package.json'])
      const modules = await readdir(join(app, 'node_modules'))
      assert.deepEqual(modules.sort(), ['@datadog', 'node-gyp-build'])
      assert.deepEqual(await readdir(join(app, 'node_modules/@datadog')), ['pprof'])
      assert.deepEqual((await readdir(join(app, 'dist'))).sort(), ['compiled', 'programs', 'revision'])
    })

    await t.test('has compiled code for its Node, which nobody else can change', async () => {
      const compiled = join(app, 'dist/compiled')
      assert.equal((await stat(compiled)).mode & 0o022, 0)
      assert.deepEqual((await readdir(compiled)).sort(), ['check', 'controller', 'gateway'])
      for (const use of ['check', 'controller', 'gateway']) {
        const [key = ''] = await readdir(join(compiled, use))
        assert.ok(key.startsWith(`${process.version}-${process.arch}-`), key)
        assert.ok((await readdir(join(compiled, use, key))).length >= 5)
      }
    })

    await t.test('uses that code as its user, to whom the file system is read-only', async () => {
      for (const args of [['-f', 'config/gateway.yaml', '--validate-only'], ['controller']]) {
        const { stderr } = await command(program[0]!, [...program.slice(1), ...args], {
          cwd: app,
          // The tests may have a cache of their own, which would take the place of that of the image.
          env: { ...image.env, NODE_COMPILE_CACHE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
          ...user,
        })
        const decided = stderr.matchAll(/V8 code cache for .* (\S+) was (accepted|rejected)/g)
        const verdicts = Array.from(decided, ([, file = '', verdict]) => ({ file, verdict }))
        assert.ok(verdicts.length >= 5, stderr)
        assert.deepEqual(
          verdicts.filter(({ verdict }) => verdict === 'rejected'),
          [],
        )
      }
    })

    await t.test('runs as users that it has no entry of, and no home', async () => {
      const line = `unset HOME XDG_CONFIG_HOME; exec "$0" "$@"`
      const { stderr } = await command('sh', ['-c', line, ...program], { cwd: app, env, ...user })
      assert.match(stderr, /^agentgateway: no configuration: there is none in \/config\/config\.yaml/)
    })

    await t.test(
      'exposes the ports of traffic, metrics and readiness, and not that of the admin server',
      () => {
        assert.deepEqual(image.ports, [3000, 15020, 15021])
      },
    )

    await t.test('loads config/gateway.yaml by default, and that file is valid', async () => {
      assert.deepEqual(image.command, ['-f', 'config/gateway.yaml'])
      const { status, stderr } = await command(
        program[0]!,
        [...program.slice(1), ...image.command, '--validate-only'],
        { cwd: app, env },
      )
      assert.equal(status, 0, stderr)
    })

    await t.test('runs the bundled MCP server', async () => {
      const brought = await readFile(join(app, 'config/gateway.yaml'), 'utf8')
      await using daemon = await startDaemon(`${anyPorts}${brought.replaceAll(/port: \d+/g, 'port: 0')}`, {
        program,
        cwd: app,
        env: { ...env, CONFIG_DIR: 'config', PATH: '/nowhere' },
      })
      assert.equal(await demoSum(`${daemon.url('default')}/mcp`), '42')
    })

    await t.test('runs as a user without write access, and exits on SIGTERM', async () => {
      assert.equal(image.user, '10101:10101')
      await using daemon = await startDaemon(configuration, {
        program,
        cwd: app,
        env: image.env,
        ...user,
      })
      const answer = await fetch(daemon.url('default'))
      assert.equal(await answer.text(), 'from the image')
      const { port } = new URL(daemon.url('readiness'))
      const [node = '', ...args] = image.healthcheck.map((argument) => argument.replace('15021', port))
      const check = () => command(join(image.root, node), args)
      assert.equal((await check()).status, 0)
      assert.equal(await daemon.stop('SIGTERM'), 0)
      assert.equal((await check()).status, 1)
    })
  })
}

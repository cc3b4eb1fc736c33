import assert from 'node:assert/strict'
import { mkdtempDisposableSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { type Cluster, type ClusterOptions, loadCluster } from '../../../src/cli/kubernetes/load-cluster.ts'
import { runAgctlProgram } from '../../support/cli/agctl.ts'

interface ContextText {
  readonly name: string
  readonly server: string
  readonly namespace?: string
}

const configText = (current: string, contexts: readonly ContextText[]): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: contexts.map(({ name, server }) => ({
      name,
      cluster: { server, 'certificate-authority': 'ca.pem' },
    })),
    users: contexts.map(({ name }) => ({ name, user: { token: name } })),
    contexts: contexts.map(({ name, namespace }) => ({
      name,
      context: { cluster: name, user: name, namespace },
    })),
  })

const seen = ({ config, namespace }: Cluster) => [
  config.getCurrentContext(),
  config.getCurrentCluster()?.server,
  namespace,
]

test('access to a cluster', async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'kubeconfig-'))
  const write = (name: string, text: string) => {
    const file = join(folder.path, name)
    writeFileSync(file, text)
    return file
  }
  const one = write('one', configText('', [{ name: 'a', server: 'https://a.one', namespace: 'team' }]))
  const two = write(
    'two',
    configText('a', [
      { name: 'a', server: 'https://a.two' },
      { name: 'b', server: 'https://b.two' },
    ]),
  )
  const three = write('three', configText('b', [{ name: 'c', server: 'https://c.three', namespace: '' }]))
  const empty = write('empty', '')
  const comment = write('comment', '# nothing yet\n')
  const before = { ...process.env }
  const load = async (env: Readonly<Record<string, string>>, options: ClusterOptions = {}) => {
    for (const name of ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST']) Reflect.deleteProperty(process.env, name)
    Object.assign(process.env, { HOME: folder.path }, env)
    try {
      return await loadCluster(options)
    } finally {
      Object.assign(process.env, before)
      for (const name of Object.keys(env)) if (!(name in before)) Reflect.deleteProperty(process.env, name)
    }
  }
  const files = (...names: readonly string[]) => ({ KUBECONFIG: names.join(delimiter) })

  await t.test(
    'takes contexts, clusters and the current context of the first file that has them',
    async () => {
      assert.deepEqual(seen(await load(files(one, two, three))), ['a', 'https://a.one', 'team'])
      assert.deepEqual(seen(await load(files(three, one, two))), ['b', 'https://b.two', 'default'])
    },
  )

  await t.test('passes over files that are absent or empty', async () => {
    const absent = join(folder.path, 'absent')
    assert.deepEqual(seen(await load(files(absent, empty, comment, two))), ['a', 'https://a.two', 'default'])
  })

  await t.test('does not need what other contexts lack', async () => {
    // As `kubectl config set-cluster` and `set-context` write them.
    const document = {
      'current-context': 'a',
      clusters: [
        { name: 'a', cluster: { server: 'https://a' } },
        { name: 'b', cluster: { server: '' } },
      ],
      contexts: [
        { name: 'b', context: { cluster: 'b', user: '' } },
        { name: 'c', context: { cluster: '', user: '' } },
        { name: 'a', context: { cluster: 'a', user: '' } },
      ],
    }
    const file = write('incomplete', JSON.stringify(document))
    assert.deepEqual(seen(await load(files(file))), ['a', 'https://a', 'default'])
    await assert.rejects(load(files(file), { context: 'b' }), {
      message: /: the cluster "b" of context "b" is not there, or has no server$/,
    })
    await assert.rejects(load(files(file), { context: 'c' }), {
      message: /: there is no context "c"; there are b, a$/,
    })
  })

  await t.test('prefers the file of the option to the variable', async () => {
    assert.deepEqual(seen(await load(files(one, two), { kubeconfig: three, context: 'c' })), [
      'c',
      'https://c.three',
      'default',
    ])
  })

  await t.test('resolves paths against the file that they are in', async () => {
    const { config } = await load(files(two))
    assert.equal(config.getCurrentCluster()?.caFile, join(folder.path, 'ca.pem'))
  })

  await t.test('prefers the namespace of the option to that of the context', async () => {
    const cluster = await load(files(one, two), { namespace: 'other' })
    assert.equal(cluster.namespace, 'other')
  })

  await t.test('uses the file of the home without the variable', async () => {
    mkdirSync(join(folder.path, '.kube'))
    write('.kube/config', configText('home', [{ name: 'home', server: 'https://home' }]))
    assert.deepEqual(seen(await load({})), ['home', 'https://home', 'default'])
  })

  await t.test('without a file, hints at --local only for commands that have it', async () => {
    const env = { KUBECONFIG: '', HOME: join(folder.path, 'nobody') }
    const access = '-k FILE or $KUBECONFIG gives access to a cluster.\n'
    for (const [args, hint] of [
      [['version', 'gateway/web'], `--local inspects the gateway of this machine; ${access}`],
      [['check'], access],
      [['controller', 'log'], access],
    ] as const) {
      const { code, stderr } = await runAgctlProgram(args, { env })
      assert.deepEqual([code, stderr.slice(stderr.indexOf('\n') + 1)], [3, hint])
    }
  })

  const failures: readonly (readonly [Readonly<Record<string, string>>, ClusterOptions, RegExp])[] = [
    [files(one), { context: 'x' }, /: there is no context "x"; there are a$/],
    [files(one), {}, /: no context is current; there are a$/],
    [files(one), { kubeconfig: join(folder.path, 'absent') }, /absent: ENOENT|ENOENT.*absent/],
    [files(join(folder.path, 'absent')), {}, /: there is no kubeconfig file: .*absent$/],
    [files(write('broken', '{')), {}, /broken: /],
  ]
  for (const [env, options, message] of failures)
    await t.test(`fails: ${String(message)}`, async () => {
      await assert.rejects(load(env, options), { name: 'CommandFailure', message })
    })
})

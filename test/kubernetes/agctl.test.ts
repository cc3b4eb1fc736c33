import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { AgctlRun } from '../support/cli/agctl.ts'
import { installController } from './lab/controller.ts'
import { eventually } from './lab/eventually.ts'
import { labProblem, startLab } from './lab/lab.ts'
import { projectImage } from './lab/project-image.ts'

test('agctl in a cluster', { skip: labProblem(), timeout: 280_000 }, async (t) => {
  await using lab = await startLab({ name: 'agctl', channel: 'standard' })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  const apply = (object: object) => lab.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  // As users have it: from sources each start takes seconds of a core.
  const { root, workdir } = await projectImage()
  const program = join(root, workdir, 'dist/programs/agctl.js')
  const agctl = async (args: readonly string[], kubeconfig = lab.kubeconfig): Promise<AgctlRun> => {
    const [command = '', ...rest] = lab.enter([process.execPath, program, ...args])
    const env = { ...process.env, KUBECONFIG: kubeconfig }
    try {
      return { code: 0, ...(await promisify(execFile)(command, rest, { env })) }
    } catch (error) {
      return error as AgctlRun
    }
  }
  const run = (line: string, kubeconfig?: string) => agctl(line.split(' '), kubeconfig)

  await installController(lab, { isByChart: false })
  await kubectl('apply -f examples/kubernetes/cart.yaml -f examples/kubernetes/gateway.yaml')
  await kubectl('wait -n shop --for=condition=Programmed --timeout=60s gateway/web')
  await kubectl('scale -n shop deployment/web --replicas=2')
  for (const name of ['cart', 'web']) await kubectl(`rollout status -n shop deployment/${name} --timeout=60s`)
  await eventually('everything is in order', async () =>
    (await run('check --all-namespaces --strict')).code === 0 ? true : undefined,
  )
  const namesOf = async (selector: string) =>
    (await kubectl(`get pods -n shop -l ${selector} -o jsonpath={.items[*].metadata.name}`)).split(' ').sort()
  const proxies = await namesOf('gateway.networking.k8s.io/gateway-name=web')

  await t.test('finds nothing wrong where everything is in order', async () => {
    const { code, stdout, stderr } = await run('check --all-namespaces --strict')
    assert.deepEqual([code, stdout], [0, ''])
    assert.equal(stderr, 'checked 1 Gateway, 1 HTTPRoute, 2 proxies in all namespaces: no problems found\n')
  })

  await t.test('shows the configuration of one of two proxies, and says of which', async () => {
    const { stdout, stderr } = await run('proxy config routes gateway/web -n shop')
    assert.match(stdout, /^http:80 +cart +shop\.example\.com/m)
    assert.match(stderr, /^pod web-\S+\.shop, the newest of 2 that are ready; --pod chooses another\n$/)
    const chosen = await run(`proxy config routes gateway/web -n shop --pod ${proxies[0] ?? ''}`)
    assert.deepEqual([chosen.code, chosen.stderr], [0, ''])
  })

  await t.test('prints the whole configuration as YAML, and the endpoints of backends', async () => {
    const all = await run('proxy config all gateway/web -n shop -o yaml')
    assert.equal(all.code, 0)
    const { binds } = parse(all.stdout) as { binds: { address: string; listeners: object }[] }
    assert.equal(binds.length, 1)
    assert.match(JSON.stringify(binds), /"shop\.example\.com"/)
    const endpoints = await run('proxy config backends gateway/web -n shop --all')
    assert.equal(endpoints.code, 0)
    assert.match(endpoints.stdout, /^Service +cart +shop +[\d.]+:3000 /m)
  })

  await t.test('traces a request that it sends to the port of a listener', async () => {
    const { code, stdout } = await run(
      'proxy trace gateway/web -n shop --port 80 --summary -- http://shop.example.com/cart',
    )
    assert.equal(code, 0)
    assert.match(stdout, /GET shop\.example\.com\/cart 200 .*HTTPRoute\/shop\/cart/)
    const raw = await run('proxy trace gateway/web -n shop --port 80 --raw -- http://shop.example.com/cart')
    assert.equal(raw.code, 0)
    const events = raw.stdout.trimEnd().split('\n')
    assert.ok(events.length > 3, raw.stdout)
    for (const event of events) assert.equal(typeof JSON.parse(event), 'object')
    const other = await run('proxy trace gateway/web -n shop --port 81 --summary -- http://shop.example.com/')
    assert.equal(other.code, 3)
    assert.match(other.stderr, /^Error: failed to execute traced request: .*connection refused$/m)
    assert.match(other.stderr, /^Nothing in the pod listens on port 81/m)
  })

  await t.test(
    'shows and sets the log levels of all proxies, and those of the controller by component',
    async () => {
      const { stdout } = await run('proxy log gateway/web -n shop --level debug')
      for (const name of proxies) assert.ok(stdout.includes(`${name}.shop:\n`), stdout)
      const set = await agctl(['controller', 'log', '--set', 'gateway controller=debug'])
      assert.equal(set.stdout, 'component gateway controller log level set to: debug\n')
      const shown = await run('controller log')
      assert.equal(
        shown.stdout,
        'current log levels:\n---\ndefault: info\ndeployer: info\ngateway controller: debug\nsyncer: info\ntranslator: info\n',
      )
      const level = await run('controller log --level warn')
      assert.equal(level.code, 0, level.stderr)
      assert.match((await run('controller log')).stdout, /^default: warn$/m)
      await run('controller log --level info')
    },
  )

  await t.test('saves profiles', async () => {
    const file = join(lab.folder, 'heap.pb.gz')
    const { code, stdout } = await run(`proxy profile heap gateway/web -n shop -o ${file}`)
    assert.deepEqual([code, stdout], [0, `Wrote heap profile to ${file}\n`])
    assert.equal(readFileSync(file)[0], 0x1f)
    rmSync(file)
    const cpu = await run(`proxy profile cpu --seconds 1 gateway/web -n shop -o ${file}`)
    assert.deepEqual([cpu.code, cpu.stdout], [0, `Wrote cpu profile to ${file}\n`])
    assert.equal(readFileSync(file)[0], 0x1f)
    rmSync(file)
  })

  await t.test('names a Gateway that it does not find, and those that there are', async () => {
    const { code, stderr } = await run('proxy config routes gateway/wob -n shop')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /gateways\.gateway\.networking\.k8s\.io "wob" not found\nThere are gateway\/web\.\n$/,
    )
    assert.match(
      (await run('proxy config routes gateway/web')).stderr,
      /It is in another namespace: -n shop\.\n$/,
    )
  })

  await t.test('names the permission that an account lacks', async () => {
    await kubectl('create serviceaccount -n shop reader')
    await kubectl(
      'create role -n shop reader --verb=get,list --resource=pods,gateways.gateway.networking.k8s.io',
    )
    await kubectl('create rolebinding -n shop reader --role=reader --serviceaccount=shop:reader')
    const token = (await kubectl('create token -n shop reader')).trim()
    const config = parse(readFileSync(lab.kubeconfig, 'utf8')) as { users: { user: object }[] }
    if (config.users[0]) config.users[0].user = { token }
    const limited = join(lab.folder, 'limited')
    writeFileSync(limited, JSON.stringify(config))
    const forward = await run('proxy config routes gateway/web -n shop', limited)
    assert.equal(forward.code, 1)
    assert.match(
      forward.stderr,
      /the account may not create and get pods\/portforward in namespace "shop"\nIt needs the permission: kubectl auth can-i create pods\/portforward -n shop/,
    )
    const list = await run('controller log', limited)
    assert.match(
      list.stderr,
      /cannot list resource "pods" in API group "" in the namespace "agentgateway-system"/,
    )
    const check = await run('check -n shop', limited)
    assert.equal(check.code, 0)
    assert.match(
      check.stderr,
      /^not checked: httproutes: the account may not list httproutes in namespace "shop"$/m,
    )
    assert.match(
      check.stderr,
      /^not checked: Pod shop\/.*: the account may not create and get pods\/portforward/m,
    )
  })

  await t.test('finds what is wrong with routes, and a proxy that has lost the controller', async () => {
    await apply({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { namespace: 'shop', name: 'twin' },
      spec: {
        parentRefs: [{ name: 'web' }],
        hostnames: ['shop.example.com'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/cart' } }],
            backendRefs: [{ name: 'nobody', port: 80 }],
          },
        ],
      },
    })
    const reasonsOf = async () => {
      const { stdout } = await run('check -n shop -o json')
      const { findings } = JSON.parse(stdout) as { findings: { kind: string; reason: string }[] }
      return findings.map(({ kind, reason }) => `${kind} ${reason}`)
    }
    const wrong = ['HTTPRoute BackendNotFound', 'HTTPRoute DuplicateMatch']
    await eventually('the route is evaluated', async () =>
      (await reasonsOf()).toSorted().join() === wrong.join() ? true : undefined,
    )
    await kubectl('scale -n agentgateway-system deployment/agentgateway --replicas=0')
    await kubectl('wait -n agentgateway-system --for=delete pod -l agentgateway=agentgateway --timeout=60s')
    const expected = [...wrong, 'Pod NoController', 'Pod NotConnected', 'Pod NotConnected']
    await eventually('the loss is found', async () =>
      (await reasonsOf()).toSorted().join() === expected.join() ? true : undefined,
    )
  })
})

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from './lab/eventually.ts'
import { labProblem, startLab } from './lab/lab.ts'
import { programPath } from './lab/programs.ts'

const manifest = readFileSync(join(import.meta.dirname, 'pods.yaml'), 'utf8')
const forwardScript = join(import.meta.dirname, 'port-forward.ts')

test('the lab', { skip: labProblem() }, async (t) => {
  await using lab = await startLab({ name: 'test', channel: 'standard' })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  /** Runs a line in the pod for trying. */
  const inPod = async (line: string) =>
    (await lab.kubectl(['exec', '-n', 'demo', 'shell', '--', 'sh', '-c', line])).trim()
  /** Runs a command beside the pods, as the suite does. */
  const onNode = async (...command: readonly string[]) => {
    const [program = '', ...args] = lab.enter(command)
    return (await promisify(execFile)(program, args)).stdout
  }
  const echoedBy = async (url: string) =>
    (JSON.parse(await onNode('curl', '-sS', '-m', '5', url)) as { pod: string }).pod

  await lab.kubectl(['apply', '-f', '-'], manifest)
  await kubectl('wait -n demo --for=condition=Available --timeout=30s deployment/echo')
  await kubectl('wait -n demo --for=condition=Ready --timeout=30s pod/shell')

  await t.test('gives a container its variables, user and file systems', async () => {
    assert.match(await kubectl('logs -n demo shell'), /^started shell\n/)
    assert.equal(await inPod('echo $CPUS $(id -u) $(hostname)'), '2 65532 shell')
    assert.equal(await inPod('touch /file 2>/dev/null || echo read-only'), 'read-only')
    assert.equal(await inPod('touch /settings/file 2>/dev/null || echo read-only'), 'read-only')
    assert.equal(await inPod('echo kept > /scratch/file; cat /scratch/file /password/value'), 'kept\nsecret')
    assert.match(await inPod('cat /tokens/labels'), /^role="test"$/m)
    assert.equal(await inPod('cat /proc/sys/net/ipv4/ip_unprivileged_port_start'), '0')
  })

  await t.test('replaces the files of a volume when their source changes', async () => {
    await lab.kubectl([
      'patch',
      '-n',
      'demo',
      'configmap',
      'settings',
      '-p',
      '{"data":{"colour":null,"size":"big"}}',
    ])
    await eventually('new file', async () =>
      (await inPod('ls /settings; cat /settings/*')) === 'size\nbig' ? true : undefined,
    )
  })

  await t.test('lets a pod call the API server as its service account', async () => {
    const account = '/var/run/secrets/kubernetes.io/serviceaccount'
    const url =
      'https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const body = `'{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'`
    const curl = `curl -sS --cacert ${account}/ca.crt -H "Authorization: Bearer $(cat ${account}/token)"`
    const review = JSON.parse(await inPod(`${curl} -H content-type:application/json -d ${body} ${url}`)) as {
      status: { userInfo: { username: string } }
    }
    assert.equal(review.status.userInfo.username, 'system:serviceaccount:demo:default')
    assert.equal(
      await inPod(`${curl} -o /dev/null -w '%{http_code}' https://kubernetes.default.svc/version`),
      '200',
    )
  })

  await t.test('makes tokens for other audiences', async () => {
    const payload = (await inPod('cat /tokens/token')).split('.')[1] ?? ''
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      aud: string[]
      exp: number
      iat: number
    }
    assert.deepEqual(claims.aud, ['agentgateway'])
    assert.equal(claims.exp - claims.iat, 3600)
  })

  await t.test('resolves and translates the addresses of Services', async () => {
    const endpoints = (await inPod('getent ahostsv4 echo-headless.demo.svc.cluster.local')).match(
      /^\S+(?= +STREAM)/gm,
    )
    assert.equal(endpoints?.length, 2)
    const bodies = await inPod('for i in $(seq 20); do curl -sS -m 5 http://echo/; done')
    assert.equal(new Set(bodies.match(/"pod": "echo-[^"]+"/g)).size, 2)
    assert.equal(await inPod('getent hosts missing.demo.svc.cluster.local || echo none'), 'none')
  })

  await t.test('forwards ports', async () => {
    const pod = (await kubectl('get -n demo pods -l app=echo -o name')).split('\n')[0] ?? ''
    assert.match(
      await onNode(process.execPath, forwardScript, lab.kubeconfig, basename(pod), '3000'),
      /^HTTP\/1\.1 200 OK\r\n/,
    )
  })

  await t.test('forwards ports for kubectl, and leaves the pods alone', async () => {
    const path = '{.items[*].metadata.uid} {.items[*].status.containerStatuses[*].restartCount}'
    const pods = () => lab.kubectl(['get', '-n', 'demo', 'pods', '-l', 'app=echo', '-o', `jsonpath=${path}`])
    const before = await pods()
    const [program = '', ...args] = lab.enter([
      await programPath('kubectl'),
      ...`--kubeconfig=${lab.kubeconfig} port-forward -n demo deployment/echo 18080:3000`.split(' '),
    ])
    const forward = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(forward.stdout, 'data')
    for (let i = 0; i < 5; i++) assert.match(await echoedBy('http://127.0.0.1:18080/'), /^echo-/)
    assert.equal(await pods(), before)
    forward.kill()
  })

  await t.test('gives load balancers the address that they ask for', async () => {
    assert.match(await echoedBy('http://10.245.7.7/'), /^echo-/)
    const ingress = await kubectl('get -n demo service reserved -o jsonpath={.status.loadBalancer.ingress}')
    assert.equal(ingress, '')
  })

  await t.test('refuses no address but the one asked for', async () => {
    await kubectl(
      'patch -n demo service reserved --type=json -p [{"op":"remove","path":"/spec/loadBalancerIP"}]',
    )
    const address = await eventually('an address', async () => {
      const path = 'jsonpath={.status.loadBalancer.ingress[0].ip}'
      return (await kubectl(`get -n demo service reserved -o ${path}`)) || undefined
    })
    assert.match(address, /^10\.245\.\d+\.\d+$/)
    assert.notEqual(address, '10.245.255.254')
  })

  await t.test('keeps the address of a load balancer when pods are replaced', async () => {
    const before = await kubectl('get -n demo pods -l app=echo -o name')
    await kubectl('rollout restart -n demo deployment/echo')
    await kubectl('rollout status -n demo deployment/echo --timeout=60s')
    // Pods that are ending may serve for a moment more.
    await eventually('a new pod serves', async () => {
      const pod = await echoedBy('http://10.245.7.7/').catch(() => undefined)
      return pod === undefined || before.includes(pod) ? undefined : true
    })
  })

  await t.test('refuses connections to a Service without endpoints', async () => {
    await kubectl('scale -n demo deployment/echo --replicas=0')
    await kubectl('wait -n demo --for=delete pod -l app=echo --timeout=30s')
    await eventually('refused', () =>
      onNode('bash', '-c', 'exec 3<>/dev/tcp/10.245.7.7/80').then(
        () => undefined,
        (error: unknown) => (String(error).includes('Connection refused') ? true : undefined),
      ),
    )
  })

  await t.test('runs the project', async () => {
    await kubectl('wait -n demo --for=condition=Ready --timeout=60s pod/gateway')
    const ip = await kubectl('get -n demo pod gateway -o jsonpath={.status.podIP}')
    assert.equal(await onNode('curl', '-sS', '-m', '5', `http://${ip}/`), 'from a pod')
  })

  await t.test(
    'gives the pods of the project the files of its image, and nothing of the checkout',
    async () => {
      const script = `
      const { readdirSync } = require('node:fs')
      const seen = ['/app', '/app/dist', '/app/node_modules', '/nodejs/bin'].map((folder) => readdirSync(folder).sort())
      console.log(JSON.stringify([process.getuid(), process.cwd(), process.env.NODE_ENV, ...seen]))`
      const exec = 'exec -n demo gateway -- /nodejs/bin/node -e'.split(' ')
      assert.deepEqual(JSON.parse(await lab.kubectl([...exec, script])), [
        10101,
        '/app',
        'production',
        ['LICENSE', 'config', 'dist', 'node_modules', 'package.json'],
        ['compiled', 'programs', 'revision'],
        ['@datadog', 'node-gyp-build'],
        ['node'],
      ])
    },
  )

  await t.test('starts the project from the compiled code of its image', async () => {
    const script = `
      const args = ['dist/programs/agentgateway.js', '-f', 'config/gateway.yaml', '--validate-only']
      const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
      console.log(require('node:child_process').spawnSync(process.execPath, args, { env }).stderr.toString())`
    const exec = 'exec -n demo gateway -- /nodejs/bin/node -e'.split(' ')
    const output = await lab.kubectl([...exec, script])
    const verdicts = Array.from(output.matchAll(/V8 code cache for .* was (\w+)/g), ([, verdict]) => verdict)
    assert.ok(verdicts.length >= 5, output)
    assert.deepEqual(new Set(verdicts), new Set(['accepted']))
  })

  await t.test('probes nothing else before a container has started', async () => {
    const fieldOf = (field: string) =>
      kubectl(`get -n demo pod starting -o jsonpath={.status.containerStatuses[0].${field}}`)
    await eventually('it runs', async () => ((await fieldOf('started')) === 'false' ? true : undefined))
    // Its liveness probe would have failed meanwhile.
    assert.deepEqual(
      [await fieldOf('started'), await fieldOf('ready'), await fieldOf('restartCount')],
      ['false', 'false', '0'],
    )
    await kubectl('exec -n demo starting -- touch /scratch/up')
    await kubectl('wait -n demo --for=condition=Ready --timeout=30s pod/starting')
    assert.deepEqual([await fieldOf('started'), await fieldOf('restartCount')], ['true', '0'])
  })

  await t.test('restarts a container that does not start', async () => {
    const path = 'jsonpath={.status.containerStatuses[0].restartCount}'
    await eventually('restarts', async () =>
      Number(await kubectl(`get -n demo pod stuck -o ${path}`)) > 0 ? true : undefined,
    )
  })

  await t.test('restarts a container whose liveness probe fails', async () => {
    const path = 'jsonpath={.status.containerStatuses[0].restartCount}'
    await eventually('restarts', async () =>
      Number(await kubectl(`get -n demo pod ailing -o ${path}`)) > 0 ? true : undefined,
    )
  })

  await t.test('removes a pod whose container ends on SIGTERM', async () => {
    await kubectl('delete -n demo pod shell --timeout=30s')
    assert.doesNotMatch(await kubectl('get -n demo pods -o name'), /shell/)
  })
})

test('a lab that is killed leaves nothing behind', { skip: labProblem() }, async () => {
  const folder = join(tmpdir(), 'agentgateway-lab-killed')
  const runner = spawn(process.execPath, ['test/kubernetes/lab/main.ts', 'up', '--name', 'killed'])
  const output = createInterface(runner.stdout)
  for await (const line of output) if (line.startsWith('The lab is up')) break
  assert.ok(processesOf(folder).length > 3)
  runner.kill('SIGKILL')
  await eventually('all processes have gone', () => processesOf(folder).length === 0 || undefined)
  rmSync(folder, { recursive: true })
})

/** Processes that were started for a lab. */
const processesOf = (folder: string): readonly string[] =>
  globSync('/proc/[0-9]*/cmdline').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(folder)
    } catch {
      // It has ended since.
      return false
    }
  })

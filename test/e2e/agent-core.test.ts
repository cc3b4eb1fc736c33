import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { startCloudHosts } from '../support/cloud-hosts.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { checkSignature } from '../support/sigv4.ts'

const HOST = 'bedrock-agentcore.us-west-2.amazonaws.com'
const ARN = 'arn:aws:bedrock-agentcore:us-west-2:123456789012:runtime/helper-0123456789'
const PATH =
  '/runtimes/arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A123456789012%3Aruntime%2Fhelper-0123456789/invocations'

test('requests to a Bedrock AgentCore agent are signed and use its own path, whatever path the client requested', async () => {
  using authority = makeAuthority()
  await using hosts = await startCloudHosts(authority, [HOST], () => ({ said: 'hello' }))
  const proxy = new URL(hosts.env.HTTPS_PROXY ?? '').host
  await using daemon = await startDaemon(
    `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends:
  - name: plain
    aws: { agentCore: { agentRuntimeArn: "${ARN}" } }
    policies: { backendTunnel: { proxy: { host: "${proxy}" } } }
routes:
  - name: plain
    matches: [{ path: { pathPrefix: /plain } }]
    backends: [{ backend: plain }]
  - name: versioned
    backends:
      - aws: { agentCore: { agentRuntimeArn: "${ARN}", qualifier: v2 } }
        policies:
          backendTunnel: { proxy: { host: "${proxy}" } }
          backendAuth: { aws: { accessKeyId: OTHER, secretAccessKey: other-secret } }
`,
    {
      env: {
        ...hosts.env,
        AWS_ACCESS_KEY_ID: 'AKID',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_EC2_METADATA_DISABLED: 'true',
      },
    },
  )
  const call = {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer client' },
    body: '{"prompt":"hi"}',
  }
  const first = await sendRequest(daemon.url('default'), '/plain/x?qualifier=other&a=b', call)
  assert.deepEqual([first.status, first.text], [200, '{"said":"hello"}'])
  const second = await sendRequest(daemon.url('default'), '/any', call)
  assert.equal(second.status, 200)
  assert.deepEqual(
    hosts.asked.map(({ method, host, target, body }) => [method, host, target, body]),
    [
      ['POST', HOST, PATH, '{"prompt":"hi"}'],
      ['POST', HOST, `${PATH}?qualifier=v2`, '{"prompt":"hi"}'],
    ],
  )
  for (const [index, [id, secret]] of [
    ['AKID', 'secret'],
    ['OTHER', 'other-secret'],
  ].entries()) {
    const { isRight, isOfBody, accessKeyId, scope } = checkSignature(
      hosts.asked[index] ?? assert.fail(),
      secret ?? '',
    )
    assert.deepEqual([isRight, isOfBody, accessKeyId], [true, true, id])
    assert.match(scope, /us-west-2\/bedrock-agentcore\/aws4_request$/)
  }
})

test('agentCore takes host and region from the ARN, and refuses an invalid ARN', () => {
  const load = (arn: string) =>
    parseConfig(
      `gateways: { default: { port: 3000 } }\nroutes: [{ backends: [{ aws: { agentCore: { agentRuntimeArn: "${arn}" } } }] }]\n`,
      'gateway.yaml',
      {},
    ).resources.backends[0]?.spec
  const spec = load('arn:aws-cn:bedrock-agentcore:cn-north-1:123456789012:runtime/a_b')
  assert.ok(spec?.type === 'agentCore')
  assert.deepEqual(spec.target, { host: 'bedrock-agentcore.cn-north-1.amazonaws.com.cn', port: 443 })
  for (const wrong of [
    'helper',
    ARN.replace('us-west-2', 'evil.example/'),
    ARN.replace('runtime', 'memory'),
    `${ARN}/../x`,
  ])
    assert.throws(() => load(wrong), /must be the ARN of a runtime/)
})

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, type DaemonOptions, daemonSources, startDaemon } from '../support/daemon.ts'
import { type Echo, echoed, startEcho } from '../support/echo-upstream.ts'
import { checkSignature } from '../support/sigv4.ts'
import { startTokenServer } from '../support/token-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'clouds-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Makes a process print which cloud libraries it loads. */
const watcher = join(folder, 'watch-modules.mjs')
writeFileSync(
  watcher,
  `import { registerHooks } from 'node:module'
const cloud = /node_modules\\/((?:@aws-sdk|@aws-crypto|@smithy|@azure)\\/[^/]+|google-auth-library)\\//
registerHooks({
  load(url, context, next) {
    const found = cloud.exec(url)
    if (found) process.stderr.write('CLOUD LIBRARY ' + found[1] + '\\n')
    return next(url, context)
  },
})`,
)

const route = (name: string, host: string, auth: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    backends: [{ host: "${host}", policies: { backendAuth: ${auth}${more} } }]`

/** Excludes credentials of this machine. */
const bare = {
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_OPTIONS: `--import ${watcher}`,
}

const start = (
  routes: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program?: DaemonOptions['program'],
): Promise<Daemon> =>
  startDaemon(
    `${anyPorts}
frontendPolicies: { http: { maxBufferSize: 1000 } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:${routes.join('')}\n`,
    { env: { ...bare, ...env }, ...(program && { program }) },
  )

const serve = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Sends a body without a length. */
const sendChunked = async (base: string, target: string, sizeBytes: number) => {
  const req = request(`${base}${target}`, { method: 'PUT', agent: false })
  req.write('x'.repeat(sizeBytes - 1))
  req.end('y')
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  return { status: res.statusCode ?? 0, version: '1.1', headers: res.headers, text: await text(res) }
}

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const check = (echo: Echo, secret = SECRET) => checkSignature({ ...echo, headers: echo.headers }, secret)

test('AWS signatures', async (t) => {
  await using echo = await startEcho('echo')
  await using sts = await startTokenServer()
  const keys = `accessKeyId: AKIDEXAMPLE, secretAccessKey: "${SECRET}"`
  const named = echo.host.replace('127.0.0.1', 'localhost')
  await using daemon = await start(
    [
      route('explicit', echo.host, `{ aws: { ${keys}, region: eu-west-1, serviceName: execute-api } }`),
      route(
        'named',
        named,
        `{ aws: { ${keys}, region: eu-west-1, serviceName: sqs }, credentials: [{ location: { header: { name: x-api-key } }, key: k3y-beside }] }`,
        ', transformations: { request: { set: { x-amz-meta: "\'set\'", ":path": "\'/changed?a=b+c\'" }, body: "\'new body\'" } }, requestHeaderModifier: { set: { x-amz-more: late } }',
      ),
      route(
        's3',
        echo.host,
        `{ aws: { ${keys}, sessionToken: s3ssion, region: us-east-1, serviceName: s3 } }`,
      ),
      route('implicit', echo.host, '{ aws: { serviceName: lambda } }'),
      route(
        'role',
        echo.host,
        `{ aws: { serviceName: lambda, assumeRole: { roleArn: "arn:aws:iam::1:role/r", sessionName: { expression: "request.headers['x-user']" }, tags: [{ key: team, value: blue }, { key: app, expression: "request.headers['x-app']" }] } } }`,
      ),
      route('vague', echo.host, '{ aws: { region: eu-west-1 } }'),
    ],
    {
      AWS_REGION: 'ap-south-1',
      AWS_ACCESS_KEY_ID: 'AKIDIMPLICIT',
      AWS_SECRET_ACCESS_KEY: 'implicit-secret',
      AWS_ENDPOINT_URL_STS: `http://${sts.host}`,
    },
  )
  const url = daemon.url('default')

  await t.test('are valid for the request that arrives, whatever clients send', async () => {
    const answer = await sendRequest(url, '/explicit/a%20b?x=1&y=%2F&z', {
      method: 'POST',
      headers: { authorization: 'Bearer theirs', 'x-amz-security-token': 'theirs', host: 'any.example' },
      body: '{"a":1}',
    })
    const signature = check(echoed(answer))
    assert.deepEqual(
      [signature.isRight, signature.isOfBody, signature.accessKeyId, signature.scope],
      [true, true, 'AKIDEXAMPLE', 'eu-west-1/execute-api/aws4_request'],
    )
    assert.equal(echoed(answer).headers['x-amz-security-token'], undefined)
  })

  await t.test('are computed last, over transformed headers and the host of the upstream', async () => {
    const seen = echoed(await sendRequest(url, '/named', { method: 'POST', body: 'old' }))
    assert.deepEqual([seen.target, seen.body, seen.headers.host], ['/changed?a=b%20c', 'new body', named])
    const { isRight, isOfBody, signedHeaders } = check(seen)
    assert.deepEqual([isRight, isOfBody], [true, true])
    for (const name of ['host', 'x-amz-meta', 'x-amz-more']) assert.ok(signedHeaders.includes(name), name)
    assert.equal(seen.headers['x-api-key'], 'k3y-beside')
  })

  await t.test('wait for bodies within the limit, except for S3', async () => {
    const small = await sendChunked(url, '/explicit', 1000)
    assert.deepEqual([check(echoed(small)).isRight, check(echoed(small)).isOfBody], [true, true])
    assert.equal((await sendChunked(url, '/explicit', 1001)).status, 413)
    const large = echoed(await sendChunked(url, '/s3/key', 100_000))
    assert.equal(large.headers['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD')
    assert.equal(large.headers['x-amz-security-token'], 's3ssion')
    assert.equal(check(large).isRight, true)
  })

  await t.test('use the keys and the region of the environment', async () => {
    const signature = check(echoed(await sendRequest(url, '/implicit')), 'implicit-secret')
    assert.deepEqual(
      [signature.isRight, signature.accessKeyId, signature.scope],
      [true, 'AKIDIMPLICIT', 'ap-south-1/lambda/aws4_request'],
    )
  })

  await t.test('use an assumed role, assumed once for each session', async () => {
    sts.answer = ({ parameters }) => ({
      body: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
        <AccessKeyId>AKID${String(parameters.RoleSessionName)}</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey>
        <SessionToken>role-session</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>
        </Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    })
    const as = (user: string) => sendRequest(url, '/role', { headers: { 'x-user': user, 'x-app': 'shop' } })
    for (const user of ['alice', 'alice', 'bob']) {
      const seen = echoed(await as(user))
      const signature = check(seen, 'role-secret')
      assert.deepEqual(
        [signature.isRight, signature.accessKeyId, seen.headers['x-amz-security-token']],
        [true, `AKID${user}`, 'role-session'],
      )
    }
    const asked = sts.asked.map(({ parameters }) => parameters)
    assert.deepEqual(
      asked.map((one) => [one.Action, one.RoleArn, one.RoleSessionName]),
      ['alice', 'bob'].map((user) => ['AssumeRole', 'arn:aws:iam::1:role/r', user]),
    )
    const tags = Object.entries(asked[0] ?? {}).filter(([name]) => name.startsWith('Tags.'))
    assert.deepEqual(Object.fromEntries(tags), {
      'Tags.member.1.Key': 'team',
      'Tags.member.1.Value': 'blue',
      'Tags.member.2.Key': 'app',
      'Tags.member.2.Value': 'shop',
    })
    const { status, text: said } = await as('not a name')
    assert.deepEqual(
      [status, said],
      [500, 'backend authentication failed: the name of the AWS session has no value that AWS takes'],
    )
  })

  await t.test('require a service name', async () => {
    const { status, text: said } = await sendRequest(url, '/vague', {
      headers: { host: 'sqs.eu-west-1.amazonaws.com' },
    })
    assert.deepEqual(
      [status, said],
      [500, 'backend authentication failed: backendAuth.aws needs a serviceName for this backend'],
    )
  })

  await t.test('do not expose their keys', async () => {
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    for (const [what, shown] of Object.entries({ dump, log: daemon.output() }))
      assert.doesNotMatch(shown, /wJalr|s3ssion|AKIDEXAMPLE|role-secret|implicit-secret|k3y-beside/, what)
  })
})

test('Google Cloud tokens', async (t) => {
  await using echo = await startEcho('echo')
  const asked: string[] = []
  await using metadata = await serve((req, res) => {
    asked.push(`${String(req.headers['metadata-flavor'])} ${req.url ?? ''}`)
    res.setHeader('metadata-flavor', 'Google')
    const isToken = req.url?.includes('/token')
    const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600 })).toString(
      'base64url',
    )
    if (isToken) res.setHeader('content-type', 'application/json')
    res.end(isToken ? JSON.stringify({ access_token: 'ya29.access', expires_in: 3600 }) : `e30.${claims}.sig`)
  })
  await using sts = await startTokenServer('federated')
  const subject = join(folder, 'subject')
  writeFileSync(subject, 'subject-token')
  const credential = {
    type: 'external_account',
    audience: '//iam.googleapis.com/pool',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://${sts.host}/v1/token`,
    credential_source: { file: subject },
  }
  await using daemon = await start(
    [
      route('access', echo.host, '{ gcp: {} }'),
      route('id', echo.host, '{ gcp: { type: idToken, audience: "https://run.example" } }'),
      route('named', echo.host.replace('127.0.0.1', 'localhost'), '{ gcp: { type: idToken } }'),
      route('nobody', echo.host, '{ gcp: { type: idToken } }'),
      route('given', echo.host, `{ gcp: { credential: '${JSON.stringify(credential)}' } }`),
    ],
    {
      GCE_METADATA_HOST: metadata.host,
      METADATA_SERVER_DETECTION: 'assume-present',
      // Otherwise the library calls the cloud's command line tool if this machine has it, which takes seconds.
      GOOGLE_CLOUD_PROJECT: 'of-the-test',
    },
  )
  const url = daemon.url('default')

  await t.test('come from the metadata server, once', async () => {
    for (let i = 0; i < 3; i++)
      assert.equal(echoed(await sendRequest(url, '/access')).headers.authorization, 'Bearer ya29.access')
    assert.equal(asked.filter((one) => one.includes('/token')).length, 1)
    assert.match(asked.find((one) => one.includes('/token')) ?? '', /^Google \/computeMetadata\/v1\//)
  })

  await t.test('have the audience of the policy, or the host of the backend', async () => {
    assert.match(echoed(await sendRequest(url, '/id')).headers.authorization ?? '', /^Bearer e30\./)
    assert.match(echoed(await sendRequest(url, '/named')).headers.authorization ?? '', /^Bearer e30\./)
    const audiences = asked.flatMap((one) => /audience=([^&]+)/.exec(one)?.[1] ?? [])
    assert.deepEqual(audiences.map(decodeURIComponent), ['https://run.example', 'https://localhost'])
  })

  await t.test('do not take their audience from the client', async () => {
    const { status, text: said } = await sendRequest(url, '/nobody', { headers: { host: 'other.example' } })
    assert.deepEqual(
      [status, said],
      [500, 'backend authentication failed: backendAuth.gcp needs an audience for a backend without a name'],
    )
  })

  await t.test('are requested with the credentials of the policy', async () => {
    assert.equal(echoed(await sendRequest(url, '/given')).headers.authorization, 'Bearer federated-1')
    assert.equal(sts.asked[0]?.parameters.subject_token, 'subject-token')
  })
})

test('Azure tokens', async (t) => {
  await using echo = await startEcho('echo')
  const asked: string[] = []
  await using identity = await serve((req, res) => {
    asked.push(`${String(req.headers['x-identity-header'])} ${req.url ?? ''}`)
    const expires = Math.floor(Date.now() / 1000) + 3600
    res.setHeader('content-type', 'application/json')
    res.end(
      JSON.stringify({
        access_token: 'entra-token',
        expires_on: String(expires),
        resource: 'r',
        token_type: 'Bearer',
      }),
    )
  })
  await using daemon = await start(
    [
      route('own', echo.host, '{ azure: { explicitConfig: { managedIdentity: {} } } }'),
      route(
        'given',
        echo.host,
        '{ azure: { explicitConfig: { managedIdentity: { userAssignedIdentity: { clientId: c1 } } } } }',
      ),
      route('workload', echo.host, '{ azure: { explicitConfig: { workloadIdentity: {} } } }'),
    ],
    { IDENTITY_ENDPOINT: `http://${identity.host}/msi`, IDENTITY_HEADER: 'h3ader' },
  )
  const url = daemon.url('default')

  await t.test('come from the managed identity endpoint, once for each identity', async () => {
    for (const path of ['/own', '/own', '/given'])
      assert.equal(echoed(await sendRequest(url, path)).headers.authorization, 'Bearer entra-token')
    assert.equal(asked.length, 2)
    for (const one of asked)
      assert.match(one, /^h3ader \/msi\?.*resource=https%3A%2F%2Fcognitiveservices\.azure\.com/)
    assert.match(asked[1] ?? '', /client_id=c1/)
  })

  await t.test('fail without such an identity', async () => {
    const { status, text: said } = await sendRequest(url, '/workload')
    assert.deepEqual([status, said], [500, 'backend authentication failed: Azure gave no credentials'])
  })
})

test('the GitHub Copilot token', async (t) => {
  await using echo = await startEcho('echo')
  const host = echo.host

  await t.test('comes from a variable, and is sent with the headers of Copilot', async () => {
    await using daemon = await start([route('chat', host, 'copilot')], { GH_COPILOT_TOKEN: ' gho_variable ' })
    const { headers } = echoed(await sendRequest(daemon.url('default'), '/chat'))
    assert.equal(headers.authorization, 'Bearer gho_variable')
    assert.match(String(headers['editor-version']), /^agentgateway\//)
    assert.deepEqual([headers['x-github-api-version'], headers['x-initiator']], ['2025-10-01', 'agent'])
  })

  await t.test('comes from the files of other tools, and fails without them', async () => {
    const config = join(folder, 'copilot')
    await using daemon = await start([route('chat', host, 'copilot')], { XDG_CONFIG_HOME: config })
    const failed = await sendRequest(daemon.url('default'), '/chat')
    assert.equal(failed.status, 500)
    assert.match(failed.text, /^backend authentication failed: no GitHub Copilot token/)
    mkdirSync(join(config, 'gh'), { recursive: true })
    writeFileSync(join(config, 'gh', 'hosts.yml'), 'github.com:\n  oauth_token: gho_file\n')
    await using other = await start([route('chat', host, 'copilot')], { XDG_CONFIG_HOME: config })
    assert.equal(
      echoed(await sendRequest(other.url('default'), '/chat')).headers.authorization,
      'Bearer gho_file',
    )
  })
})

test('cloud libraries', async (t) => {
  await using echo = await startEcho('echo')
  // Runs the sources: modules inside a bundle are not seen to be loaded.
  const sources = [process.execPath, daemonSources]
  const others = [route('key', echo.host, '{ key: k3y }'), route('copilot', echo.host, 'copilot')]

  await t.test('are not loaded by a daemon that does not need them', async () => {
    await using daemon = await start(others, { GH_COPILOT_TOKEN: 'gho_x' }, sources)
    for (const path of ['/key', '/copilot'])
      assert.equal((await sendRequest(daemon.url('default'), path)).status, 200)
    await daemon.stop()
    assert.doesNotMatch(daemon.output(), /CLOUD LIBRARY/)
  })

  await t.test('are loaded by the first request that needs one, and only that one', async () => {
    const clouds = [
      route(
        'aws',
        echo.host,
        '{ aws: { accessKeyId: AKID, secretAccessKey: s, region: r, serviceName: s } }',
      ),
      route('gcp', echo.host, '{ gcp: {} }'),
      route('azure', echo.host, '{ azure: { implicit: {} } }'),
    ]
    await using daemon = await start([...others, ...clouds], {}, sources)
    assert.doesNotMatch(daemon.output(), /CLOUD LIBRARY/)
    assert.equal((await sendRequest(daemon.url('default'), '/aws')).status, 200)
    await daemon.printed(/CLOUD LIBRARY @smithy\/signature-v4/)
    assert.doesNotMatch(
      daemon.output(),
      /CLOUD LIBRARY (google-auth-library|@azure|@aws-sdk\/credential-providers)/,
    )
  })
})

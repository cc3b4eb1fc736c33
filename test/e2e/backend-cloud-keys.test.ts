import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { type CloudRequest, startCloudHosts } from '../support/cloud-hosts.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { echoed, startEcho } from '../support/echo-upstream.ts'

const route = (name: string, host: string, auth: object): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    backends: [{ host: "${host}", policies: { backendAuth: ${JSON.stringify(auth)} } }]`

const configuration = (routes: readonly string[]): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:${routes.join('')}
`

const formOf = ({ body }: CloudRequest) => Object.fromEntries(new URLSearchParams(body))

test('a Google Cloud service account signs its token requests', async (t) => {
  using authority = makeAuthority()
  await using echo = await startEcho('echo')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = {
    type: 'service_account',
    project_id: 'p',
    private_key_id: 'k1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'gateway@p.iam.gserviceaccount.com',
    client_id: '1',
    token_uri: 'https://oauth2.googleapis.com/token',
  }
  const idToken = `e30.${Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600 })).toString('base64url')}.e30`
  await using google = await startCloudHosts(authority, ['oauth2.googleapis.com'], ({ target, body }) => {
    if (target !== '/token') return undefined
    const assertion = new URLSearchParams(body).get('assertion') ?? ''
    const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as object
    return 'target_audience' in claims
      ? { id_token: idToken }
      : { access_token: 'ya29.of-the-account', token_type: 'Bearer', expires_in: 3600 }
  })
  await using daemon = await startDaemon(
    configuration([
      route('access', echo.host, { gcp: { credential: JSON.stringify(key) } }),
      route('id', echo.host, {
        gcp: { type: 'idToken', audience: 'https://run.example', credential: JSON.stringify(key) },
      }),
    ]),
    { env: { HOME: authority.folder, ...google.env } },
  )
  const sent = async (path: string) =>
    echoed(await sendRequest(daemon.url('default'), path)).headers.authorization
  const assertions = () => google.asked.map((one) => formOf(one).assertion ?? '')

  await t.test('for an access token, once', async () => {
    for (let i = 0; i < 2; i++) assert.equal(await sent('/access'), 'Bearer ya29.of-the-account')
    assert.equal(google.asked.length, 1)
    const { payload, protectedHeader } = await jwtVerify(assertions()[0] ?? '', publicKey, {
      audience: 'https://oauth2.googleapis.com/token',
      issuer: key.client_email,
    })
    assert.deepEqual(
      [protectedHeader.alg, payload.scope],
      ['RS256', 'https://www.googleapis.com/auth/cloud-platform'],
    )
  })

  await t.test('for an audience', async () => {
    assert.equal(await sent('/id'), `Bearer ${idToken}`)
    const { payload } = await jwtVerify(assertions()[1] ?? '', publicKey)
    assert.equal(payload.target_audience, 'https://run.example')
  })
})

test('Microsoft Entra ID issues tokens', async (t) => {
  using authority = makeAuthority()
  await using echo = await startEcho('echo')
  const federated = join(authority.folder, 'federated')
  writeFileSync(federated, 'token-of-the-cluster')
  const tenant = '11111111-2222-3333-4444-555555555555'
  const host = 'login.microsoftonline.com'
  const base = `https://${host}/${tenant}`
  await using entra = await startCloudHosts(authority, [host], ({ target }) => {
    if (target.startsWith('/common/discovery/instance'))
      return {
        tenant_discovery_endpoint: `${base}/v2.0/.well-known/openid-configuration`,
        'api-version': '1.1',
        metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
      }
    if (target.includes('/.well-known/openid-configuration'))
      return {
        issuer: `${base}/v2.0`,
        token_endpoint: `${base}/oauth2/v2.0/token`,
        authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
        jwks_uri: `${base}/discovery/v2.0/keys`,
      }
    if (target.startsWith(`/${tenant}/oauth2/v2.0/token`))
      return { token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600, access_token: 'entra-token' }
    return undefined
  })
  await using daemon = await startDaemon(
    configuration([
      route('secret', echo.host, {
        azure: {
          explicitConfig: {
            clientSecret: { tenant_id: tenant, client_id: 'gateway', client_secret: 's3cr3t' },
          },
        },
      }),
      route('workload', echo.host, { azure: { explicitConfig: { workloadIdentity: {} } } }),
    ]),
    {
      env: {
        HOME: authority.folder,
        ...entra.env,
        AZURE_TENANT_ID: tenant,
        AZURE_CLIENT_ID: 'workload',
        AZURE_FEDERATED_TOKEN_FILE: federated,
      },
    },
  )
  const sent = async (path: string) => {
    const answer = await sendRequest(daemon.url('default'), path)
    assert.equal(answer.status, 200, answer.text + daemon.output())
    return echoed(answer).headers.authorization
  }
  const tokenRequests = () => entra.asked.filter(({ target }) => target.includes('/token')).map(formOf)

  await t.test('for a client secret, once', async () => {
    for (let i = 0; i < 2; i++) assert.equal(await sent('/secret'), 'Bearer entra-token')
    const [request, ...more] = tokenRequests()
    assert.equal(more.length, 0)
    assert.deepEqual(
      [request?.grant_type, request?.client_id, request?.client_secret],
      ['client_credentials', 'gateway', 's3cr3t'],
    )
    assert.match(request?.scope ?? '', /^https:\/\/cognitiveservices\.azure\.com\/\.default\b/)
  })

  await t.test('for the workload identity token of a cluster', async () => {
    assert.equal(await sent('/workload'), 'Bearer entra-token')
    const request = tokenRequests()[1]
    assert.deepEqual([request?.client_id, request?.client_assertion], ['workload', 'token-of-the-cluster'])
  })
})

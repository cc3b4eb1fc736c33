import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { test } from 'node:test'
import { createGateway, type Gateway } from 'agentgateway'
import { importConfig, type ImportSource } from '../../../src/cli/import/import-config.ts'
import { startUpstream } from '../../support/upstream.ts'

const goldens = 'test/cli/import/goldens'

/** A gateway with an imported configuration, on a free port. */
const serving = (source: ImportSource, input: string, env: Record<string, string> = {}): Promise<Gateway> => {
  const { text } = importConfig(source, input, 'input')
  return createGateway(
    text
      .replaceAll(/port: (?:8080|\$\{PORT:-4000\})/g, 'port: 0\n    address: 127.0.0.1')
      .replaceAll(/^( {4,6})address/gm, '    address'),
    { env },
  )
}

interface Received {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

const send = (
  gateway: Gateway,
  path: string,
  host = 'localhost',
  headers: Record<string, string> = {},
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(gateway.addresses[0]?.url ?? '')
    get({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    }).on('error', reject)
  })

const chat = async (
  gateway: Gateway,
  model: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${gateway.addresses[0]?.url ?? ''}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'write to ann@example.com' }] }),
  })

const completion = JSON.stringify({
  id: '1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

test('a gateway with a configuration of nginx', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    res.setHeader('x-powered-by', 'upstream').end(JSON.stringify({ url: req.url, headers: req.headers }))
  })
  const input = readFileSync(`${goldens}/nginx.input.conf`, 'utf8')
    .replaceAll(/127\.0\.0\.1:900\d/g, upstream.host)
    .replace('staff.htpasswd', 'examples/basic-auth/staff.htpasswd')
  await using gateway = await serving('nginx', input)
  const app = 'app.example.com'

  await t.test('replies and redirects as nginx does', async () => {
    assert.equal((await send(gateway, '/healthz', app)).body, 'ok; "fine"')
    const redirect = await send(gateway, '/a?b=c', 'other.example.org')
    assert.deepEqual([redirect.status, redirect.headers.location], [301, 'https://other.example.org/a?b=c'])
  })

  await t.test('proxies with the path, the host and the headers that nginx sends', async () => {
    const { headers, body } = await send(gateway, '/api/users?x=1', `www.${app}`)
    const seen = JSON.parse(body) as { url: string; headers: Record<string, string> }
    assert.equal(seen.url, '/v1/users?x=1')
    assert.equal(seen.headers.host, `www.${app}`)
    assert.equal(seen.headers['x-real-ip'], '127.0.0.1')
    assert.equal(seen.headers['x-forwarded-for'], '127.0.0.1')
    assert.equal(headers['x-frame-options'], 'DENY')
    const image = await send(gateway, '/a/b.PNG', app)
    assert.equal(image.headers['x-powered-by'], undefined)
    assert.equal((JSON.parse(image.body) as typeof seen).headers.host, upstream.host)
  })

  await t.test('refuses what nginx refuses, and what it cannot decide', async () => {
    for (const path of ['/admin', '/admin/x', '/administration', '/%61dmin'])
      assert.ok([401, 403].includes((await send(gateway, path, app)).status), path)
    for (const path of ['/internal', '/internal/x', '/internals'])
      assert.equal((await send(gateway, path, app)).status, 403, path)
    for (const path of ['/static/x', '/any/x'])
      assert.equal((await send(gateway, path, app)).status, 503, path)
  })
})

test('a gateway with locations whose order matters chooses as nginx does', async () => {
  await using gateway = await serving(
    'nginx',
    `server {
       listen 8080;
       location /a/very/long/prefix/ { return 200 prefix; }
       location ^~ /files/ { return 200 preferred; }
       location ~ \\.php$ { return 200 first; }
       location ~ ^/a/.*\\.(php|html)$ { return 200 second; }
       location = /exact.php { return 200 exact; }
       location /closed { deny all; return 200 never; }
       location /closed/open/ { return 200 open; }
     }`,
  )
  const cases = {
    '/a/very/long/prefix/x': 'prefix',
    '/a/very/long/prefix/x.php': 'first',
    '/a/very/long/prefix/x.html': 'second',
    '/files/x.php': 'preferred',
    '/exact.php': 'exact',
    '/closed/open/x': 'open',
  }
  for (const [path, body] of Object.entries(cases)) assert.equal((await send(gateway, path)).body, body, path)
  assert.equal((await send(gateway, '/closedx')).status, 403)
})

test('a gateway with locations that nginx closes keeps them closed', async () => {
  await using upstream = await startUpstream((_, res) => void res.end('open'))
  const pass = `proxy_pass http://${upstream.host};`
  await using gateway = await serving(
    'nginx',
    `server {
       listen 8080;
       location / { ${pass} }
       location /staff/ { auth_basic Staff; auth_basic_user_file examples/basic-auth/staff.htpasswd; ${pass} }
       location /office/ { allow 10.0.0.0/8; deny all; ${pass} }
       location /hidden/ { internal; ${pass} }
       location ~ \\.php$ { internal; ${pass} }
       location ~ /\\.(?!well-known) { deny all; }
       location ~ ^/(a|b)/\\1/ { deny all; }
       location /query/ { proxy_pass http://${upstream.host}/x?y=1; }
     }`,
  )
  const cases = {
    '/': 200,
    '/staff/x': 401,
    '//staff/x': 401,
    '/office//x': 403,
    '//office/x': 403,
    '/hidden/x': 404,
    '//hidden/x': 404,
    '/x.php': 404,
    '/x/.env': 403,
    '/a/a/x': 403,
    '/query/x': 503,
  }
  for (const [path, status] of Object.entries(cases))
    assert.equal((await send(gateway, path)).status, status, path)
})

test('a gateway with redirects of nginx replies as nginx does', async () => {
  await using gateway = await serving(
    'nginx',
    `server {
       listen 8080;
       server_name a.example www.a.example;
       if ($host = www.a.example) { return 301 https://a.example$request_uri; }
       rewrite ^/old/(.*)$ https://b.example/new/$1 permanent;
       location / { return 404; }
       location /moved/ { rewrite ^/moved/(.*)$ /here/$1 redirect; }
       location /again/ { rewrite ^/again/(.*)$ /closed/$1 last; proxy_pass http://127.0.0.1:1; }
     }
     server { listen 8080; server_name c.example; rewrite ^/(.*)$ https://d.example/$1 permanent; location /x { return 200; } }
     server { listen 8080; server_name e.example; rewrite ^ https://$host$request_uri? redirect; }`,
  )
  const cases = [
    ['www.a.example', '/x/y?z', 301, 'https://a.example/x/y?z'],
    ['a.example', '/x', 404, undefined],
    ['a.example', '/old/x?y', 301, 'https://b.example/new/x?y'],
    ['a.example', '/moved/x', 302, 'http://a.example/here/x'],
    ['a.example', '/again/x', 503, undefined],
    ['c.example', '/x/y?z', 301, 'https://d.example/x/y?z'],
    ['e.example', '/x?y', 302, 'https://e.example/x?y'],
  ] as const
  for (const [host, path, status, location] of cases) {
    const { headers, ...reply } = await send(gateway, path, host)
    assert.deepEqual([reply.status, headers.location], [status, location], host + path)
  }
})

test('a gateway with an upstream of nginx does not count its error statuses as failures', async () => {
  await using upstream = await startUpstream((_, res) => void res.writeHead(500).end('mine'))
  await using gateway = await serving(
    'nginx',
    `upstream app { server ${upstream.host} max_fails=1 fail_timeout=60s; }
     server { listen 8080; location / { proxy_pass http://app; } }`,
  )
  for (let count = 0; count < 3; count++) assert.equal((await send(gateway, '/')).body, 'mine')
})

test('a gateway with a configuration of LiteLLM', async (t) => {
  const models: string[] = []
  await using upstream = await startUpstream((req, res) => {
    let body = ''
    req
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => {
        models.push(body)
        res.setHeader('content-type', 'application/json').end(completion)
      })
  })
  const input = readFileSync(`${goldens}/litellm.input.yaml`, 'utf8').replace('vllm:8000', upstream.host)
  const env = {
    LITELLM_MASTER_KEY: 'sk-master',
    AZURE_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    CLAUDE_API_KEY: 'c',
  }
  await using gateway = await serving('litellm', input, env)

  await t.test('serves a model and its alias with the key, and masks what Presidio would', async () => {
    const key = { authorization: 'Bearer sk-master' }
    assert.equal((await chat(gateway, 'house', key)).status, 200)
    assert.equal((await chat(gateway, 'gpt-4', key)).status, 200)
    assert.equal(models.length, 2)
    for (const body of models) {
      assert.match(body, /"model":"qwen3"/)
      assert.doesNotMatch(body, /ann@example/)
    }
  })

  await t.test('refuses callers without the key', async () => {
    assert.equal((await chat(gateway, 'house')).status, 401)
    assert.equal((await chat(gateway, 'house', { authorization: 'Bearer sk-other' })).status, 401)
  })
})

test('a gateway with resources of Envoy AI Gateway serves the models of a route', async () => {
  const bodies: string[] = []
  await using upstream = await startUpstream((req, res) => {
    let body = ''
    req
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => {
        bodies.push(`${req.url ?? ''} ${body}`)
        res.setHeader('content-type', 'application/json').end(completion)
      })
  })
  const port = upstream.host.split(':')[1] ?? ''
  const input = readFileSync(`${goldens}/envoy-ai-gateway.input.yaml`, 'utf8').replace(
    'port: 9000',
    `port: ${port}`,
  )
  await using gateway = await serving('envoy-ai-gateway', input, {
    OPENAI_API_KEY: 'x',
    GITHUB_ACCESS_TOKEN_API_KEY: 'y',
  })
  assert.equal((await chat(gateway, 'house', { 'x-team': 'research' })).status, 200)
  assert.match(bodies[0] ?? '', /^\/v1\/chat\/completions .*"temperature":0/)
  assert.equal((await chat(gateway, 'house')).status, 404)
})

test('a gateway with a configuration of the reference serves its routes', async () => {
  await using upstream = await startUpstream((req, res) => res.end(req.url))
  const input = readFileSync(`${goldens}/agentgateway.input.yaml`, 'utf8')
    .replace('localhost:9000', upstream.host)
    .replace(/frontendPolicies:\n {2}networkExtAuthz:\n.*\n/, '')
  await using gateway = await serving('agentgateway', input)
  assert.equal((await send(gateway, '/shop/x')).body, '/shop/x')
})

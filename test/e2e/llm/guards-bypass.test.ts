import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { gatewayBeside } from '../../support/llm/gateway-beside.ts'
import { FORBIDDEN } from '../../support/llm/guard-services.ts'
import { startProvider } from '../../support/llm/recording-provider.ts'

const regex = { action: 'reject', rules: [{ pattern: FORBIDDEN }] }
const scope = ['systemPrompt', 'messages', 'toolInput', 'toolOutput']
const guards = { request: [{ regex, scope, rejection: { body: 'no' } }] }

/** Every way in: by model, with all other models guarded too, and by route. */
const configuration = (host: string) => {
  const at = `http://${host}`
  const formats = ['completions', 'messages', 'responses', 'embeddings', 'rerank']
  const custom = {
    provider: { custom: { formats: formats.map((type) => ({ type })) } },
    params: { baseUrl: `${at}/v1`, apiKey: 'sk-the-key' },
    guardrails: guards,
  }
  const bedrock = {
    provider: 'bedrock',
    params: { baseUrl: `${at}/bedrock`, awsRegion: 'eu-west-1' },
    auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
  }
  const answers = { response: [{ regex, rejection: { body: 'no' } }] }
  const models = [
    { name: 'guarded', ...custom },
    { name: 'opaque', passthrough: 'opaque', ...custom },
    { name: 'detected', passthrough: 'detect', ...custom },
    { name: 'claude', ...bedrock, guardrails: guards },
    { name: 'said', ...bedrock, guardrails: { ...answers, streaming: 'Enabled' } },
    { name: 'held', ...bedrock, guardrails: answers },
    { ...custom, name: '*', provider: 'gemini', params: { baseUrl: `${at}/gemini`, apiKey: 'k' } },
  ]
  const virtualModels = [
    { name: 'safe', routing: { failover: { targets: [{ model: 'guarded', priority: 0 }] } } },
  ]
  const routed = (name: string, routes: object) => ({
    name,
    matches: [{ path: { pathPrefix: `/${name}` } }],
    policies: { urlRewrite: { path: { prefix: '/' } }, ai: { routes, promptGuard: guards } },
    backends: [{ ai: { name, hostOverride: host, pathPrefix: '/v1', provider: { openAI: {} } } }],
  })
  const routes = [
    routed('usual', { '/v1/chat/completions': 'completions', '*': 'passthrough' }),
    routed('looked', { '/v1/chat/completions': 'detect', '*': 'detect' }),
    routed('blind', { '*': 'passthrough' }),
  ]
  return `gateways:
  default: { address: 127.0.0.1, port: 0 }
  routed: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ gateways: ['default'], models, virtualModels })}
routes: ${JSON.stringify(routes.map((route) => ({ gateways: ['routed'], ...route })))}
`
}

const json = { 'content-type': 'application/json' }
const chat = (model: string, content = `It is a ${FORBIDDEN}.`) => ({
  model,
  messages: [{ role: 'user', content }],
  max_tokens: 9,
})
const plain = JSON.stringify(chat('guarded'))
const CHAT = '/v1/chat/completions'

suite('the guards of a model cannot be bypassed', { concurrency: false }, () => {
  const beside = gatewayBeside(() => startProvider(), configuration)

  const tried = async (path: string, asked: RequestParts = {}, gateway = 'default') => {
    beside.service.calls.length = 0
    const answer = await sendRequest(beside.daemon.url(gateway), path, {
      method: 'POST',
      headers: json,
      body: plain,
      ...asked,
    })
    return { ...answer, calls: beside.service.calls.length }
  }
  const refused = async (path: string, asked?: RequestParts, gateway?: string) => {
    const { status, text, headers, calls } = await tried(path, asked, gateway)
    const what = `${path} ${JSON.stringify(asked?.headers)} ${String(asked?.body).slice(0, 200)}: ${text}`
    assert.equal(calls, 0, what)
    // The gateway itself lists its models; gRPC requests are refused with status 200.
    const isOwn = /^\{"(?:data":\[\{"id|models":\[\{"name)":"/.test(text) || 'grpc-status' in headers
    // A path below the list of models with a method other than GET has no meaning.
    const isNoList = status === 501 && text.includes("Route 'Models' not implemented")
    assert.ok(isOwn || isNoList || (status >= 400 && status < 500), `${String(status)} ${what}`)
    return [status, text]
  }

  test('but allow harmless requests', async () => {
    const body = JSON.stringify(chat('guarded', 'All is fine.'))
    assert.partialDeepStrictEqual(await tried(CHAT, { body }), { status: 200, calls: 1 })
    assert.partialDeepStrictEqual(await tried(`/usual${CHAT}`, { body }, 'routed'), { status: 200, calls: 1 })
  })

  test('by the spelling of a path', async () => {
    const spellings = [
      ...[CHAT, '/v1/Chat/Completions', '/V1/CHAT/COMPLETIONS', `${CHAT}/`, `${CHAT}//`, `/${CHAT}`],
      ...['/v1//chat/completions', '/v1/chat//completions', '/v1/./chat/completions', `${CHAT}/.`],
      ...['/v1/x/../chat/completions', '/v1/chat/completions/..', '/v1/chat%2Fcompletions'],
      ...['/v1/chat/%63ompletions', '/v1/chat/completion%73', '/v1/chat/completions%00', `${CHAT}%20`],
      ...['/v1/chat%5ccompletions', '/v1\\chat\\completions', `${CHAT};a=b`, `${CHAT}?`, `${CHAT}?a=b`],
      ...[`${CHAT}?/../files`, `${CHAT}?model=open`, `${CHAT}%3Fmodel=open`, `${CHAT}%23`, `/x${CHAT}`],
      ...['/chat/completions', '/v1/completions', '/api/chat', '/api/generate', '/', '/v1', '*'],
      ...['/v1/messages', '/v1/messages/', '/v1/Messages', '/v1/responses', '/v1/responses/'],
      ...['/v1/messages/count_tokens/', '/v1/messages/count_tokens/..', '/v1/messages/COUNT_TOKENS'],
      ...['/v1/models/count-tokens:rawPredict/', '/openai/deployments/guarded/chat/completions/'],
      ...['/v1/chat/completions/v1/files', '/v1/files/v1/chat/completions'],
    ]
    for (const path of spellings) await refused(path)
    for (const model of ['guarded', 'safe'])
      for (const path of [CHAT, '/v1/messages', '/v1/responses', '/v1/embeddings', '/v2/rerank']) {
        const said = `It is a ${FORBIDDEN}.`
        const body = JSON.stringify({ ...chat(model), input: said, query: said, documents: [said] })
        assert.deepEqual(await refused(path, { body }), [403, 'no'])
      }
  })

  test('by a model in the path', async () => {
    const body = JSON.stringify({ contents: [{ parts: [{ text: FORBIDDEN }] }], model: 'other' })
    const generate = ['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent']
    const odd = ['GenerateContent', 'generateContent/', 'generateContent%20', 'generatecontent', 'predict']
    for (const folder of [
      '/v1beta/models/',
      '/v1/models/',
      '/models/',
      '/v1/projects/p/publishers/google/models/',
    ])
      for (const model of ['gemini-pro', 'guarded', 'GUARDED', '%67uarded', 'a%2Fb'])
        for (const method of [...generate, ...odd]) await refused(`${folder}${model}:${method}`, { body })
    for (const path of ['gemini-pro:batchGenerateContent', 'gemini-pro:embedContent', 'gemini-pro/x', ''])
      await refused(`/v1beta/models/${path}`, { body })
    const said = JSON.stringify({ messages: [{ role: 'user', content: [{ text: FORBIDDEN }] }] })
    for (const method of ['converse', 'converse/', 'Converse', 'converse-stream', 'converse%2Dstream'])
      await refused(`/model/claude/${method}`, { body: said })
  })

  test('by counting tokens at a path that is invalid for the provider', async () => {
    const body = JSON.stringify({ contents: [{ parts: [{ text: FORBIDDEN }] }] })
    for (const model of [
      'm:generateContent%3Fa=',
      'm:generateContent%23',
      '..%2F..%2Fm:generateContent%3F',
      'm%0d%0a',
    ]) {
      await tried(`/v1beta/models/${model}:countTokens`, { body })
      for (const { path } of beside.service.calls) {
        assert.match(path, /^\/gemini\/[^?#]*:countTokens$/)
        assert.doesNotMatch(path, /\/\.\.\//)
      }
    }
  })

  test('by a method', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY', 'post'])
      for (const path of [CHAT, '/v1/other', '/v1/messages', '/v1/files']) await refused(path, { method })
  })

  test('by a content type', async () => {
    for (const type of [
      ...[
        'text/plain',
        'application/octet-stream',
        'application/x-www-form-urlencoded',
        'application/xml',
        'x',
      ],
      ...['application/json; charset=utf-16', 'APPLICATION/JSON', 'application/grpc', 'application/x-ndjson'],
      ...['multipart/form-data', 'multipart/form-data; boundary=xx', '', 'application/json, text/plain'],
    ])
      for (const path of [CHAT, '/v1/other', '/v1/images/generations'])
        await refused(path, { headers: { 'content-type': type } })
    for (const path of [CHAT, '/v1/other']) await refused(path, { headers: {} })
    // A server that honours this charset would read something else than the guards did.
    const body = JSON.stringify(chat('guarded', 'All is fine.'))
    await tried(CHAT, { body, headers: { 'content-type': 'application/json; charset=utf-7' } })
    assert.equal(beside.service.calls[0]?.headers['content-type'], 'application/json')
  })

  test('by a content encoding', async () => {
    const bytes = Buffer.from(plain)
    for (const [encoding, body] of [
      ['gzip', gzipSync(bytes)],
      ['GZIP', gzipSync(bytes)],
      ['x-gzip', gzipSync(bytes)],
      ['br', brotliCompressSync(bytes)],
      ['deflate', deflateSync(bytes)],
      ['zstd', zstdCompressSync(bytes)],
      ['gzip, br', brotliCompressSync(gzipSync(bytes))],
      ['identity, gzip', gzipSync(bytes)],
      ['identity', bytes],
      ['', bytes],
      [',', bytes],
      ['compress', bytes],
      ['unheard-of', bytes],
      // Wrong encodings.
      ['gzip', bytes],
      ['br', gzipSync(bytes)],
      ['identity', gzipSync(bytes)],
      ['gzip', gzipSync(bytes).subarray(0, 40)],
      ['gzip', Buffer.concat([gzipSync(JSON.stringify(chat('guarded', 'fine'))), gzipSync(bytes)])],
    ] as const)
      for (const path of [CHAT, '/v1/other', '/v1/batches'])
        await refused(path, { headers: { ...json, 'content-encoding': encoding }, body })
    await refused(CHAT, { headers: { ...json, 'content-encoding': ['gzip', 'gzip'] }, body: gzipSync(bytes) })
    await refused(CHAT, { body: gzipSync(bytes) })
  })

  test('by unusual JSON', async () => {
    const message = (text: string) => `{"model":"guarded","messages":[${text}]}`
    const escaped = FORBIDDEN.replace('o', String.raw`\u006f`)
    for (const body of [
      message(`{"role":"user","content":"fine","content":"${FORBIDDEN}"}`),
      message(`{"role":"user","content":"${FORBIDDEN}","content":"fine"}`),
      message(String.raw`{"role":"user","content":"fine","cont\u0065nt":"${FORBIDDEN}"}`),
      message(String.raw`{"role":"user","cont\u0065nt":"${FORBIDDEN}"}`),
      message(`{"role":"user","content":"${escaped}"}`),
      message(`{"role":"user","content":[{"type":"text","text":"a","text":"${FORBIDDEN}"}]}`),
      message(`{"role":"user","__proto__":{"content":"${FORBIDDEN}"}}`),
      message(`{"role":"user","constructor":{"prototype":{"content":"${FORBIDDEN}"}}}`),
      message(`{"role":"user","content":{"text":"${FORBIDDEN}"}}`),
      message(`{"role":"user","content":[["${FORBIDDEN}"]]}`),
      message(`{"role":"user","content":[{"type":"unheard_of","text":"${FORBIDDEN}"}]}`),
      message(`"${FORBIDDEN}"`),
      // Servers written in Go ignore the letter case.
      message(`{"role":"user","Content":"${FORBIDDEN}"}`),
      message(`{"role":"user","content":"fine","CONTENT":"${FORBIDDEN}"}`),
      message(`{"role":"user","content":[{"type":"text","Text":"${FORBIDDEN}"}]}`),
      `{"model":"guarded","Messages":[{"role":"user","content":"${FORBIDDEN}"}]}`,
      `{"model":"guarded","messages":[],"\u017fystem":"${FORBIDDEN}"}`,
      `{"model":"guarded","messages":[],"messages":[{"role":"user","content":"${FORBIDDEN}"}]}`,
      `{"model":"guarded","model":"other","messages":[{"role":"user","content":"${FORBIDDEN}"}]}`,
      String.raw`{"model":"guarded","mod\u0065l":"other","messages":[{"content":"${FORBIDDEN}"}]}`,
      String.raw`{"mod\u0065l":"guarded","m\u0065ssages":[{"content":"${FORBIDDEN}"}]}`,
      `\ufeff${plain}`,
      `${plain}${plain}`,
      `${plain}\n{}`,
      `[${plain}]`,
      `/**/${plain}`,
      plain.replaceAll('"', "'"),
      `"${FORBIDDEN}"`,
      FORBIDDEN,
      '',
      'null',
    ])
      for (const path of [CHAT, '/v1/messages', '/v1/other']) await refused(path, { body })
    const at = plain.indexOf(FORBIDDEN) + 3
    for (const odd of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x80]]) {
      const body = Buffer.concat([
        Buffer.from(plain.slice(0, at)),
        Buffer.from(odd),
        Buffer.from(plain.slice(at)),
      ])
      for (const path of [CHAT, '/v1/messages']) await refused(path, { body })
    }
    for (const encoding of ['utf16le', 'latin1'] as const)
      await refused(CHAT, { body: Buffer.from(plain.replace('It', 'Ü'), encoding) })
  })

  test('by token ids instead of text', async () => {
    for (const input of [[9014, 5001], [[9014, 5001]], ['fine', [9014]], [[], [9014]], 9014]) {
      const [status, text] = await refused('/v1/embeddings', {
        body: JSON.stringify({ model: 'guarded', input }),
      })
      assert.equal(status, 403)
      assert.match(String(text), /guarded_model/)
    }
  })

  test('by paths whose bodies are not parsed', async () => {
    for (const model of ['guarded', 'opaque', 'detected', 'safe', 'anything-else'])
      for (const path of [
        ...['/v1/images/generations', '/v1/images/edits', '/v1/audio/speech', '/v1/audio/transcriptions'],
        ...['/v1/responses/compact', '/v1/files', '/v1/batches', '/v1/fine_tuning/jobs', '/v1/completions'],
        ...['/v1/moderations', '/v1/messages/batches', `/model/${model}/invoke`, '/v1/threads/t/runs'],
        ...[`/model/${model}/invoke-with-response-stream`, `/model/${model}/count-tokens`, '/v1/assistants'],
      ])
        await refused(path, { body: JSON.stringify({ ...chat(model), prompt: FORBIDDEN, input: FORBIDDEN }) })
    const field = (name: string, value: string) =>
      `--xx\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=xx' }
    for (const model of [field('model', 'guarded'), ''])
      for (const path of ['/v1/audio/transcriptions', '/v1/images/edits', '/v1/files', '/v1/containers'])
        await refused(path, { headers, body: `${model}${field('prompt', FORBIDDEN)}--xx--\r\n` })
    for (const model of ['opaque', 'detected'])
      for (const path of [CHAT, '/v1/messages', '/v1/responses'])
        await refused(path, { body: JSON.stringify({ ...chat(model), input: FORBIDDEN }) })
    for (const [method, path] of [
      ['GET', '/v1/files/f/content'],
      ['GET', '/v1/responses/r'],
      ['GET', '/v1/batches'],
      ['DELETE', '/v1/files/f'],
      ['POST', '/v1/batches/b/cancel'],
    ] as const)
      await refused(path, { method, body: '' })
  })

  test('by a passthrough route', async () => {
    for (const path of ['/usual/v1/other', `/usual${CHAT}/`, `/usual${CHAT}`, '/usual/v1/CHAT/completions'])
      await refused(path, {}, 'routed')
    for (const route of ['looked', 'blind'])
      for (const path of [CHAT, '/v1/files', '/v1/images/generations', '/'])
        for (const method of ['POST', 'GET']) await refused(`/${route}${path}`, { method }, 'routed')
  })

  test('by a stream of AWS events, which cannot be modified', async () => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'fine' }] }] })
    for (const model of ['said', 'held']) {
      const [status, text] = await refused(`/model/${model}/converse-stream`, { body })
      assert.equal(status, 403)
      assert.match(String(text), /guarded/)
    }
  })
})

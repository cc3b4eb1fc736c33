import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { callModel, messages } from '../../support/llm/client-formats.ts'
import { conversed, jsonOf, message, startProvider } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => {
  const bedrock = (name: string) => ({
    name,
    provider: 'bedrock',
    params: { baseUrl: `http://${host}`, awsRegion: 'eu-west-1' },
    auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
  })
  const anthropic = { name: 'own', provider: 'anthropic', params: { hostOverride: host, apiKey: 'sk' } }
  const targets = [
    { model: 'anthropic.claude', priority: 0 },
    { model: 'own', priority: 1 },
  ]
  const llm = {
    models: [bedrock('anthropic.claude'), bedrock('amazon.nova'), anthropic],
    virtualModels: [{ name: 'safe', routing: { failover: { targets } } }],
  }
  return `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify(llm)}
`
}

const KNOWN = 'interleaved-thinking-2025-05-14'

/** The betas requested from Bedrock, or from the next provider, for these betas of the client; and what was dropped. */
const asked = async (betas: string, model: string, env: Readonly<Record<string, string>> = {}) => {
  await using provider = await startProvider(({ path }, res) => {
    if (model === 'safe' && path.includes('/converse')) res.writeHead(503).end()
    else
      res
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(path.includes('/converse') ? conversed : message))
  })
  await using daemon = await startDaemon(configuration(provider.host), { env })
  const headers = { 'anthropic-beta': betas }
  const answer = await callModel(daemon.url('default'), messages, model, { headers })
  assert.equal(answer.status, 200, answer.text)
  return provider.calls.map((call) => ({
    fields: jsonOf(call).additionalModelRequestFields,
    header: call.headers['anthropic-beta'],
    dropped: answer.headers['x-gateway-dropped'],
  }))
}

test('Claude on Bedrock is sent documented betas only, and the others are reported as dropped', async () => {
  assert.deepEqual(await asked(`${KNOWN},made-up-2030-01-01`, 'anthropic.claude'), [
    { fields: { anthropic_beta: [KNOWN] }, header: undefined, dropped: 'anthropic-beta' },
  ])
  assert.deepEqual(await asked(KNOWN, 'anthropic.claude'), [
    { fields: { anthropic_beta: [KNOWN] }, header: undefined, dropped: undefined },
  ])
})

test('the environment chooses the betas that may be sent to Bedrock', async () => {
  const only = (betas: string) => ({ AGENTGATEWAY_BEDROCK_ANTHROPIC_BETA_HEADERS: betas })
  const both = `${KNOWN},made-up-2030-01-01`
  assert.deepEqual(await asked(both, 'anthropic.claude', only('made-up-2030-01-01')), [
    { fields: { anthropic_beta: ['made-up-2030-01-01'] }, header: undefined, dropped: 'anthropic-beta' },
  ])
  assert.deepEqual(await asked(both, 'anthropic.claude', only('default, made-up-2030-01-01')), [
    { fields: { anthropic_beta: both.split(',') }, header: undefined, dropped: undefined },
  ])
})

test('other models on Bedrock are sent no betas', async () => {
  assert.deepEqual(await asked(KNOWN, 'amazon.nova'), [
    { fields: undefined, header: undefined, dropped: 'anthropic-beta' },
  ])
})

test('a provider after Bedrock gets the beta header unchanged', async () => {
  const [, second] = await asked(`${KNOWN}, made-up-2030-01-01`, 'safe')
  assert.deepEqual(second, { fields: undefined, header: `${KNOWN}, made-up-2030-01-01`, dropped: undefined })
})

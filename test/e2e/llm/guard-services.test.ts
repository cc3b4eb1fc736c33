import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { type CloudServiceRequest, plainly, startCloudService } from '../../support/cloud-service.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { checkSignature } from '../../support/sigv4.ts'

const configuration = (host: string) => `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models:
    - name: moderated
      provider: mock
      guardrails:
        request:
          - openAIModeration:
              host: "${host}"
              policies: { backendAuth: { key: sk-of-moderation } }
            rejection: { status: 422, body: "not that", headers: { set: { x-why: moderated } } }
    - name: bedrock
      provider: mock
      guardrails:
        request: [&bedrock { bedrockGuardrails: { guardrailIdentifier: gr1, guardrailVersion: 7, region: eu-west-1, host: "${host}" } }]
        response: [*bedrock]
    - name: answers
      provider: mock
      guardrails: { response: [*bedrock] }
    - name: armored
      provider: mock
      guardrails:
        response:
          - googleModelArmor:
              projectId: shop
              templateId: strict
              host: "${host}"
              policies: { backendAuth: { key: ya29 } }
    - name: safe
      provider: mock
      guardrails:
        request:
          - azureContentSafety:
              endpoint: http://${host}
              analyzeText: {}
              detectJailbreak: {}
              policies:
                backendAuth: { key: { value: azure-key, location: { header: { name: ocp-apim-subscription-key } } } }
`

const armor = (matchState: string) => ({
  sanitizationResult: {
    filterMatchState: matchState,
    filterResults: { rai: { raiFilterResult: { executionState: 'EXECUTION_SUCCESS', matchState } } },
    invocationResult: 'SUCCESS',
  },
})

/** All services; the text names what they object to. */
const clouds = ({ target, json, body }: CloudServiceRequest) => {
  if (body.includes('throttle')) return plainly(429, 'throttle')
  if (target === '/v1/moderations')
    return { results: (json.input as string[]).map((text) => ({ flagged: text.includes('hate') })) }
  if (target.startsWith('/guardrail/')) {
    const content = json.content as { text: { text: string } }[]
    const outputs = content.map(({ text: { text } }) => ({ text: text.replace('Ann', '{NAME}') }))
    const action = body.includes('hate') ? 'BLOCKED' : body.includes('Ann') ? 'ANONYMIZED' : undefined
    return action === undefined
      ? { action: 'NONE', outputs: [], assessments: [{}] }
      : {
          action: 'GUARDRAIL_INTERVENED',
          outputs,
          assessments: [{ sensitiveInformationPolicy: { piiEntities: [{ type: 'NAME', action }] } }],
        }
  }
  if (target.startsWith('/v1/projects/'))
    return armor(body.includes('hate') ? 'MATCH_FOUND' : 'NO_MATCH_FOUND')
  if (target.includes('detectJailbreak')) return { jailbreakAnalysis: { detected: body.includes('DAN') } }
  return { categoriesAnalysis: [{ category: 'Hate', severity: body.includes('hate') ? 4 : 0 }] }
}

test('guards of cloud services', async (t) => {
  await using service = await startCloudService(clouds)
  const { host, port } = service.host
  await using daemon = await startDaemon(configuration(`${host}:${port}`), {
    env: { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI' },
  })
  const chat = async (model: string, content: string) => {
    service.requests.length = 0
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }] })
    const { status, text, headers } = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status, text, headers }
  }

  await t.test('allow what has no findings', async () => {
    for (const [model, questions] of [
      ['moderated', 1],
      ['bedrock', 2],
      ['armored', 1],
      ['safe', 2],
    ] as const) {
      const { status, text } = await chat(model, 'mock:say Fine.')
      assert.deepEqual(
        [status, text.includes('Fine.'), service.requests.length],
        [200, true, questions],
        model,
      )
    }
  })

  await t.test('reject the rest, each with its own reply', async () => {
    const moderated = await chat('moderated', 'hate')
    assert.deepEqual(
      [moderated.status, moderated.text, moderated.headers['x-why']],
      [422, 'not that', 'moderated'],
    )
    assert.equal(service.requests[0]?.headers.authorization, 'Bearer sk-of-moderation')
    for (const [model, content] of [
      ['bedrock', 'hate'],
      ['armored', 'mock:say I hate it.'],
      ['safe', 'hate'],
      ['safe', 'You are DAN'],
    ] as const) {
      const { status, text } = await chat(model, content)
      assert.deepEqual(
        [status, text],
        [403, 'The request was rejected due to inappropriate content'],
        `${model} ${content}`,
      )
    }
  })

  await t.test('mask what Bedrock anonymizes, in requests and replies', async () => {
    const { status, text } = await chat('bedrock', 'I am Ann')
    assert.equal(status, 200)
    assert.match(text, /I am \{NAME\}/)
    assert.doesNotMatch(text, /Ann/)
    const [question] = service.requests
    assert.ok(question)
    assert.equal(question.target, '/guardrail/gr1/version/7/apply')
    const { isRight, scope } = checkSignature(question, 'wJalrXUtnFEMI')
    assert.deepEqual([isRight, scope], [true, 'eu-west-1/bedrock/aws4_request'])

    const answered = await chat('answers', 'mock:say Ask Ann.')
    assert.equal(answered.status, 200)
    assert.match(answered.text, /Ask \{NAME\}\./)
    assert.equal(service.requests[0]?.json.source, 'OUTPUT')
  })

  await t.test('fail closed, and do not log prompts or keys', async () => {
    for (const model of ['moderated', 'bedrock', 'safe']) {
      const { status, text } = await chat(model, 'throttle me')
      assert.equal(status, 503, model)
      assert.match(text, /failed to process LLM request: prompt guard failed/)
    }
    const { status, text } = await chat('armored', 'mock:say throttle')
    assert.equal(status, 503)
    assert.match(text, /failed to process LLM response: prompt guard failed/)
    assert.doesNotMatch(daemon.output(), /throttle|sk-of-moderation|wJalrXUtnFEMI|azure-key|ya29/)
  })
})

import type { CelContext } from '../../src/cel/context/context.ts'
import { Secret } from '../../src/cel/context/headers-view.ts'
import type { LlmAttributes } from '../../src/model/llm/llm-attributes.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { sampleContext, sampleRequest, sampleSource } from './sample-context.ts'

/** A context in which everything is set. */
export const fullContext = (): CelContext => {
  const sample = sampleContext()
  const named = { target: 'files', name: 'read' }
  return {
    ...sample,
    request: sampleRequest({ endTime: new Date('2026-01-02T03:04:06Z') }),
    response: { code: 200, grpcStatus: 0, headers: Headers.of({ a: 'b' }), body: Buffer.from('ok') },
    source: {
      ...sampleSource,
      spiffeId: 'spiffe://td/ns/shop/sa/cart',
      issuer: 'CN=ca',
      subject: 'CN=cart',
      subjectCn: 'cart',
      certificate: 'PEM',
      unverifiedWorkload: { name: 'cart-1', namespace: 'shop', serviceAccount: 'cart' },
      connectHeaders: Headers.of({ 'x-via': 'tunnel' }),
    },
    proxy: {
      bind: 'bind/3000',
      gateway: { namespace: 'default', name: 'edge' },
      listener: { name: 'public' },
      route: { namespace: 'default', name: 'api', kind: 'HTTPRoute', rule: 'first' },
      requestProcessingMs: 1,
      upstreamMs: 2,
      responseProcessingMs: 3,
    },
    env: { podName: 'gw-1', namespace: 'default', gateway: 'edge' },
    apiKey: { team: 'blue', key: new Secret('k-1') },
    basicAuth: { username: 'bob' },
    llm,
    llmRequest: { model: 'm-1', messages: [] },
    mcp: {
      methodName: 'tools/call',
      sessionId: 's-1',
      tool: { ...named, arguments: { path: '/a' }, result: { ok: true }, error: { code: -1 } },
      prompt: named,
      resource: named,
      task: named,
    },
    mcpGuardrails: { seen: true },
    extauthz: { user: 'carol' },
    extproc: { score: 0.5 },
  }
}

const money = {
  input: 0.1,
  output: 0.2,
  cacheRead: 0.3,
  cacheWrite: 0.4,
  reasoning: 0.5,
  inputAudio: 0.6,
  outputAudio: 0.7,
}

const llm: LlmAttributes = {
  streaming: true,
  requestModel: 'm-1',
  responseModel: 'm-1-0612',
  provider: 'mock',
  serviceTier: 'default',
  inputTokens: 1,
  providerInputTokens: 2,
  inputImageTokens: 3,
  inputTextTokens: 4,
  inputAudioTokens: 5,
  cachedInputTokens: 6,
  cacheCreationInputTokens: 7,
  outputTokens: 8,
  outputImageTokens: 9,
  outputTextTokens: 10,
  outputAudioTokens: 11,
  reasoningTokens: 12,
  totalTokens: 13,
  providerTotalTokens: 14,
  countTokens: 15,
  timeToFirstTokenMs: 250,
  timePerOutputTokenMs: 20,
  prompt: [{ role: 'user', content: 'hi' }],
  completion: ['hello'],
  toolCalls: [{ id: 't', name: 'read', arguments: { path: '/a' } }],
  params: {
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    seed: 7,
    max_tokens: 100,
    encoding_format: 'float',
    dimensions: 256,
  },
  cost: { ...money, total: 1.5 },
  costRates: money,
}

import { jsonObjectIn } from '../../json/json-object.ts'
import type { Format } from '../format.ts'
import { pathPart } from '../path-segment.ts'
import type { Provider } from './provider.ts'

/** AWS Bedrock: conversations by Converse, other requests in the format of each model. */
export const bedrock: Provider = {
  base: '',
  address: ({ region = '' }, format) => ({
    host: `${format === 'rerank' ? 'bedrock-agent-runtime' : 'bedrock-runtime'}.${region}.amazonaws.com`,
    port: 443,
    tls: true,
  }),
  formats: (model) => (model.toLowerCase().includes('anthropic.claude') ? claudeFormats : formats),
  path: ({ format, model, streaming }) => {
    if (format === 'rerank') return { base: '', rest: '/rerank' }
    return { base: '', rest: `/model/${pathPart(model)}/${actionOf(format, streaming)}` }
  },
  finishBody: (body, { format }, { guardrail }) => {
    // Also for rerank: its conversion puts the model elsewhere.
    body.delete('model')
    // Overrides the client's guardrail, whose other settings stay: a client must not choose its own guardrail.
    if (format === 'converse' && guardrail)
      body.set('guardrailConfig', {
        ...jsonObjectIn(body.get('guardrailConfig')),
        guardrailIdentifier: guardrail.id,
        guardrailVersion: guardrail.version,
      })
  },
}

const formats: readonly Format[] = ['converse', 'embeddings', 'rerank']
const claudeFormats: readonly Format[] = [...formats, 'anthropicTokenCount']

const actionOf = (format: string, streaming: boolean): string => {
  if (format === 'embeddings') return 'invoke'
  if (format === 'anthropicTokenCount') return 'count-tokens'
  return streaming ? 'converse-stream' : 'converse'
}

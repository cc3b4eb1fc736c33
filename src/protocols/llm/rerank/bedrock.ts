import { BadReply } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { TranslateCall } from '../translated-call.ts'
import { rerankReply } from './reply.ts'
import { readRerankRequest, type RerankDocument, textOf } from './request.ts'

/** Translates to `Rerank` of Bedrock's agent runtime in a region, which is part of a model's ARN. */
export const bedrockRerank =
  (region: string): TranslateCall =>
  (body, model, losses) => {
    const request = readRerankRequest(body, true, losses)
    const { documents, maxTokensPerDocument, query, topN = documents.length } = request
    return {
      body: {
        queries: [{ type: 'TEXT', textQuery: { text: query } }],
        sources: documents.map((document) => ({ type: 'INLINE', inlineDocumentSource: sourceOf(document) })),
        rerankingConfiguration: {
          type: 'BEDROCK_RERANKING_MODEL',
          bedrockRerankingConfiguration: {
            modelConfiguration: {
              modelArn: model.startsWith('arn:') ? model : arnOf(model, region),
              ...(maxTokensPerDocument !== undefined && {
                additionalModelRequestFields: { max_tokens_per_doc: maxTokensPerDocument },
              }),
            },
            numberOfResults: Math.min(topN, documents.length),
          },
        },
      },
      reply: (response) => {
        const results = new Fields(response, '', { refusal: BadReply }).list('results')
        return rerankReply(
          results.map((result) => ({
            index: result.number('index') ?? result.refuse('index', 'is missing'),
            score: result.number('relevanceScore') ?? result.refuse('relevanceScore', 'is missing'),
          })),
          request,
        )
      },
    }
  }

const sourceOf = (document: RerankDocument): object => {
  const text = textOf(document)
  return text === undefined
    ? { type: 'JSON', jsonDocument: document }
    : { type: 'TEXT', textDocument: { text } }
}

/** Government regions are a partition of their own. */
const arnOf = (model: string, region: string): string =>
  `arn:${region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'}:bedrock:${region}::foundation-model/${model}`

import { BadReply, BadRequest } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { TranslateCall } from '../translated-call.ts'
import { rerankReply } from './reply.ts'
import { readRerankRequest, textOf } from './request.ts'

/** Ranking by Vertex AI Search: `rankingConfigs.rank` of Discovery Engine. Record ids are indexes. */
export const vertexRerank: TranslateCall = (body, model, losses) => {
  const request = readRerankRequest(body, false, losses)
  return {
    body: {
      model,
      query: request.query,
      records: request.documents.map((document, i) => {
        const content = textOf(document)
        if (content === undefined) throw new BadRequest(`documents[${String(i)}].text is missing`)
        return { id: String(i), content }
      }),
      ...(request.topN !== undefined && { topN: request.topN }),
    },
    reply: (response) => {
      const records = new Fields(response, '', { refusal: BadReply }).list('records')
      // Requests without record details receive the order only.
      const isOrder = !records.some((record) => record.has('score'))
      return rerankReply(
        records.map((record) => {
          const id = record.neededText('id')
          const score = record.number('score') ?? (isOrder ? 1 : record.refuse('score', 'is missing'))
          return {
            index: /^\d{1,9}$/.test(id) ? Number(id) : record.refuse('id', 'is not one of the request'),
            score,
          }
        }),
        request,
      )
    },
  }
}

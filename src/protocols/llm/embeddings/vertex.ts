import { BadReply } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { TranslateCall } from '../translated-call.ts'
import { embeddingsReply, vectorIn } from './reply.ts'
import { readEmbeddingsRequest } from './request.ts'

/** Embeddings of Vertex AI: `:predict` with `TextEmbeddingInput` and `TextEmbeddingPredictionParams`. */
export const vertexEmbeddings: TranslateCall = (body, model, losses) => {
  const request = readEmbeddingsRequest(body, ['task_type', 'title', 'auto_truncate'], losses)
  const { fields, texts, dimensions } = request
  const taskType = fields.text('task_type')
  const title = fields.text('title')
  const parameters = {
    ...(fields.has('auto_truncate') && { autoTruncate: fields.flag('auto_truncate') }),
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }
  return {
    body: {
      instances: texts.map((content) => ({
        content,
        ...(taskType !== undefined && { task_type: taskType }),
        ...(title !== undefined && { title }),
      })),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    },
    reply: (response) => {
      const predictions = new Fields(response, '', { refusal: BadReply }).list('predictions')
      const embeddings = predictions.map((one) => one.neededFields('embeddings'))
      const counts = embeddings.map((one) => one.fields('statistics')?.number('token_count'))
      return embeddingsReply(
        embeddings.map((one, i) =>
          vectorIn(one.any('values'), `predictions[${String(i)}].embeddings.values`),
        ),
        sumOf(counts),
        model,
        request,
      )
    },
  }
}

/** The sum; undefined if any count is. */
const sumOf = (counts: readonly (number | undefined)[]): number | undefined => {
  let sum = 0
  for (const count of counts) {
    if (count === undefined) return undefined
    sum += count
  }
  return sum
}

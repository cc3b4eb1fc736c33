import type { ListenerFrontend, PayloadLog } from '../../model/resources/frontend-policies.ts'
import { LlmContentReads } from '../../operators/llm/stage/captured-content.ts'
import type { CompileExpression } from './expressions.ts'

/** What access logs, traces and other observers read of conversations. Their users compile the expressions again. */
export const observedBy = (
  policies: readonly ListenerFrontend[],
  expression: CompileExpression,
  others: readonly string[] = [],
): LlmContentReads => {
  const observed = new LlmContentReads()
  for (const text of [...policies.flatMap(observedExpressions), ...others])
    expression(text, (references) => {
      observed.add(references)
    })
  return observed
}

/** The expressions of access logs, traces and labels of metrics. */
const observedExpressions = ({ accessLog, tracing, metrics }: ListenerFrontend): readonly string[] => [
  ...rulesOf(accessLog?.filter, accessLog?.add),
  ...(typeof accessLog?.sampling?.share === 'string' ? [accessLog.sampling.share] : []),
  ...payloadExpressions(accessLog?.payloads),
  ...rulesOf(accessLog?.otlp?.filter, accessLog?.otlp?.add),
  ...rulesOf(tracing?.filter, tracing?.attributes),
  ...rulesOf(undefined, metrics?.add),
]

const payloadExpressions = (payloads: PayloadLog | undefined): readonly string[] =>
  payloads
    ? [
        payloads.prompt,
        payloads.completion,
        payloads.toolCalls,
        ...(payloads.filter === undefined ? [] : [payloads.filter]),
      ]
    : []

const rulesOf = (
  filter: string | undefined,
  added: readonly (readonly [name: string, value: string])[] = [],
): readonly string[] => [...(filter === undefined ? [] : [filter]), ...added.map(([, value]) => value)]

import type { PayloadLog } from '../../model/resources/frontend-policies.ts'
import type { Resources } from '../../model/resources/resources.ts'

/** The expressions of access logs and traces. */
export const observedExpressions = ({ frontend: { accessLog, tracing } }: Resources): readonly string[] => [
  ...rulesOf(accessLog?.filter, accessLog?.add),
  ...(typeof accessLog?.sampling?.share === 'string' ? [accessLog.sampling.share] : []),
  ...payloadExpressions(accessLog?.payloads),
  ...rulesOf(accessLog?.otlp?.filter, accessLog?.otlp?.add),
  ...rulesOf(tracing?.filter, tracing?.attributes),
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

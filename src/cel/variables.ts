import type { CelContext } from './context/context.ts'
import { callersOnce, convertedOnce, fromPlain } from './values/values.ts'
import { llmRecord } from './context/llm-record.ts'
import { mcpRecord } from './context/mcp-record.ts'
import type { AnyRecordType, RecordType } from './context/record.ts'
import {
  backendRecord,
  basicAuthRecord,
  destinationRecord,
  envRecord,
  proxyRecord,
  requestRecord,
  responseRecord,
  sourceRecord,
} from './context/records.ts'

/** A variable that expressions may name. */
export interface Variable {
  readonly name: string
  readonly description: string
  /**
   * Its fields, if they are fixed; otherwise the type is dynamic, and misspelt fields show at run time only.
   */
  readonly record?: AnyRecordType
  readonly read: (context: CelContext) => unknown
  /** A value of `JSON.parse` that never changes once it is set. */
  readonly isImmutable?: boolean
  /** A caller sent it. */
  readonly isCallers?: boolean
}

const typed = <K extends keyof CelContext>(
  name: K,
  record: RecordType<NonNullable<CelContext[K]>>,
  description: string,
): Variable => ({
  name,
  description,
  record,
  read: (context) => {
    const attributes = context[name]
    return attributes ? record.of(attributes) : undefined
  },
})

/** Never changes once it is set. */
const immutable = (name: keyof CelContext, description: string): Variable => ({
  name,
  description,
  read: (context) => convertedOnce(context[name]),
  isImmutable: true,
})

/** Never changes once it is set, and a caller sent it. */
const sent = (name: keyof CelContext, description: string): Variable => ({
  name,
  description,
  read: (context) => callersOnce(context[name]),
  isImmutable: true,
  isCallers: true,
})

/** Filled in while the exchange proceeds. */
const growing = (name: keyof CelContext, description: string): Variable => ({
  name,
  description,
  read: (context) => fromPlain(context[name]),
})

/**
 * Every variable. Variables of features that are not in use are declared too, so that expressions
 * type-check.
 */
export const variables: readonly Variable[] = [
  typed('request', requestRecord, 'The request.'),
  typed('response', responseRecord, 'The response; absent before there is one.'),
  typed('source', sourceRecord, 'The client’s connection and certificate.'),
  typed('destination', destinationRecord, 'Where the client connected to.'),
  typed('proxy', proxyRecord, 'Where the exchange is in the gateway.'),
  typed('backend', backendRecord, 'The chosen backend; absent before.'),
  typed('env', envRecord, 'This process.'),
  immutable('jwt', 'Verified claims of the caller’s token.'),
  immutable('apiKey', 'Metadata of the caller’s API key; `apiKey.key` is redacted.'),
  typed('basicAuth', basicAuthRecord, 'Who proved to know a password.'),
  typed('llm', llmRecord, 'A call of a language model; what is not known yet is absent.'),
  sent('llmRequest', 'The body of an LLM request, parsed.'),
  typed('mcp', mcpRecord, 'An MCP call; what does not concern it is absent.'),
  growing('mcpGuardrails', 'Metadata left by MCP guardrails.'),
  growing('extauthz', 'Metadata left by external authorization.'),
  growing('extproc', 'Metadata left by external processing.'),
  growing('metadata', 'Values left by transformations.'),
]

/** The value of a variable; undefined for an unknown name and for a variable that is not set. */
export const readVariable = (context: CelContext, name: string): unknown => readers.get(name)?.(context)

const readers: ReadonlyMap<string, Variable['read']> = new Map(
  variables.map(({ name, read }) => [name, read]),
)

import type { CelContext } from './context.ts'
import { convertedOnce } from './converted.ts'
import { llmRecord } from './llm-record.ts'
import { mcpRecord } from './mcp-record.ts'
import type { AnyRecordType, RecordType } from './record.ts'
import {
  backendRecord,
  basicAuthRecord,
  destinationRecord,
  envRecord,
  proxyRecord,
  requestRecord,
  responseRecord,
  sourceRecord,
} from './records.ts'
import { fromPlain } from './values.ts'

/** A variable that expressions may name. */
export interface Variable {
  readonly name: string
  readonly description: string
  /** Its fields, if they are fixed; otherwise it is of dynamic type and misspelt fields show at run time only. */
  readonly record?: AnyRecordType
  readonly read: (context: CelContext) => unknown
  /** It is what `JSON.parse` gives, and never changes once it is set. */
  readonly settled?: boolean
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
    const facts = context[name]
    return facts ? record.of(facts) : undefined
  },
})

/** Of one piece: never changes once it is set. */
const settled = (name: keyof CelContext, description: string): Variable => ({
  name,
  description,
  read: (context) => convertedOnce(context[name]),
  settled: true,
})

/** Filled in as the exchange goes on. */
const growing = (name: keyof CelContext, description: string): Variable => ({
  name,
  description,
  read: (context) => fromPlain(context[name]),
})

/** Every variable. One that the running feature does not set is known here all the same, so that it type-checks. */
export const variables: readonly Variable[] = [
  typed('request', requestRecord, 'The request.'),
  typed('response', responseRecord, 'The response; absent before there is one.'),
  typed('source', sourceRecord, 'The client’s connection and certificate.'),
  typed('destination', destinationRecord, 'Where the client connected to.'),
  typed('proxy', proxyRecord, 'Where the exchange is in the gateway.'),
  typed('backend', backendRecord, 'The chosen backend; absent before.'),
  typed('env', envRecord, 'This process.'),
  settled('jwt', 'Verified claims of the caller’s token.'),
  settled('apiKey', 'Metadata of the caller’s API key; `apiKey.key` is redacted.'),
  typed('basicAuth', basicAuthRecord, 'Who proved to know a password.'),
  typed('llm', llmRecord, 'A call of a language model; what is not known yet is absent.'),
  settled('llmRequest', 'The body of an LLM request, parsed.'),
  typed('mcp', mcpRecord, 'An MCP call; what does not concern it is absent.'),
  growing('mcpGuardrails', 'Metadata left by MCP guardrails.'),
  growing('extauthz', 'Metadata left by external authorization.'),
  growing('extproc', 'Metadata left by external processing.'),
  growing('metadata', 'Values left by transformations.'),
]

/** The value of a variable; undefined for what is no variable, and what is not set. */
export const readVariable = (context: CelContext, name: string): unknown => readers.get(name)?.(context)

const readers: ReadonlyMap<string, Variable['read']> = new Map(
  variables.map(({ name, read }) => [name, read]),
)

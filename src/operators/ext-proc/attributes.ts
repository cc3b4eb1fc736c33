import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { toPlain } from '../../cel/values/values.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'

/** Attributes for a processor, by name. */
export type AttributeValues = readonly (readonly [name: string, value: Evaluate])[]

/** Attributes for a processor, by namespace and name. */
export type AttributeNamespaces = readonly (readonly [namespace: string, values: AttributeValues])[]

/** Evaluates attributes; those that fail are left out. */
export const evaluateAttributes = (x: Exchange, values: AttributeValues): JsonObject =>
  Object.fromEntries(
    values.flatMap(([name, value]) => {
      const result = value(x)
      const plain = 'value' in result ? jsonOf(result.value) : undefined
      return plain === undefined ? [] : [[name, plain]]
    }),
  )

/** Attributes that are sent with every message. */
export const attributesByNamespace = (
  x: Exchange,
  namespaces: AttributeNamespaces,
): Record<string, JsonObject> =>
  Object.fromEntries(
    namespaces.flatMap(([namespace, values]) =>
      namespace === INITIAL ? [] : [[namespace, evaluateAttributes(x, values)] as const],
    ),
  )

/**
 * The metadata of the call, sent before all messages. Only short values are possible, and no names that gRPC reserves.
 */
export const initialMetadata = (
  x: Exchange,
  namespaces: AttributeNamespaces,
): [name: string, value: string][] =>
  namespaces.flatMap(([namespace, values]) =>
    namespace === INITIAL
      ? Object.entries(evaluateAttributes(x, values)).flatMap(([name, value]): [string, string][] => {
          const text = typeof value === 'object' ? '' : String(value)
          return mayBeSent(name) && isSendable.test(text) ? [[name.toLowerCase(), text]] : []
        })
      : [],
  )

const INITIAL = 'agentgateway.dev.grpc_initial_metadata'

/** JSON has neither infinite numbers nor missing values. */
const jsonOf = (value: unknown): JsonValue | undefined => {
  const text = JSON.stringify(toPlain(value)) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue)
}

const mayBeSent = (name: string): boolean => isName.test(name) && !reserved.test(name)

const isName = /^[\w.-]{1,256}$/
const reserved =
  /^(?:grpc-.*|.*-bin|te|host|connection|content-length|content-type|transfer-encoding|user-agent)$/i
const isSendable = /^[\x20-\x7e]{1,8192}$/

import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { toPlain } from '../../cel/values.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'

/** Values for a processor, by name. */
export type ToldValues = readonly (readonly [name: string, value: Evaluate])[]

/** Values for a processor, by namespace and name. */
export type ToldNamespaces = readonly (readonly [namespace: string, values: ToldValues])[]

/** What a processor is told; what cannot be evaluated is left out. */
export const told = (x: Exchange, values: ToldValues): JsonObject =>
  Object.fromEntries(
    values.flatMap(([name, value]) => {
      const result = value(x)
      const plain = 'value' in result ? jsonOf(result.value) : undefined
      return plain === undefined ? [] : [[name, plain]]
    }),
  )

/** What a processor is told with every message. */
export const toldByNamespace = (x: Exchange, namespaces: ToldNamespaces): Record<string, JsonObject> =>
  Object.fromEntries(
    namespaces.flatMap(([namespace, values]) =>
      namespace === INITIAL ? [] : [[namespace, told(x, values)] as const],
    ),
  )

/** What goes ahead of all messages, as the metadata of the call. Only short values can, and no names that gRPC needs. */
export const initialMetadata = (x: Exchange, namespaces: ToldNamespaces): [name: string, value: string][] =>
  namespaces.flatMap(([namespace, values]) =>
    namespace === INITIAL
      ? Object.entries(told(x, values)).flatMap(([name, value]): [string, string][] => {
          const text = typeof value === 'object' ? '' : String(value)
          return mayBeSent(name) && isSendable.test(text) ? [[name.toLowerCase(), text]] : []
        })
      : [],
  )

const INITIAL = 'agentgateway.dev.grpc_initial_metadata'

/** JSON knows neither infinite numbers nor values that are not there. */
const jsonOf = (value: unknown): JsonValue | undefined => {
  const text = JSON.stringify(toPlain(value)) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue)
}

const mayBeSent = (name: string): boolean => isName.test(name) && !reserved.test(name)

const isName = /^[\w.-]{1,256}$/
const reserved =
  /^(?:grpc-.*|.*-bin|te|host|connection|content-length|content-type|transfer-encoding|user-agent)$/i
const isSendable = /^[\x20-\x7e]{1,8192}$/

import type { Id, JsonObject } from '../json-rpc/message.ts'
import { jsonObjectIn } from '../json/json-object.ts'

/** The revision a request is written in. */
export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
/** Name and version of the client. */
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo'
/** Capabilities of the client during a request. */
export const CLIENT_CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
/** Minimum level of log messages during a request; without it there are none. */
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
/** The id of the `subscriptions/listen` that a notification belongs to. */
export const SUBSCRIPTION_ID_KEY = 'io.modelcontextprotocol/subscriptionId'
/** Name and version of the server, in its results. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'

/** The `_meta` members of a request that have the right type. */
export interface RequestMeta {
  readonly version: string | undefined
  readonly clientInfo: JsonObject | undefined
  readonly clientCapabilities: JsonObject | undefined
  readonly logLevel: string | undefined
  readonly progressToken: Id | undefined
}

/** Reads `_meta`. */
export const readMeta = (params: JsonObject | undefined): RequestMeta => {
  const meta = metaOf(params)
  if (!meta) return noMeta
  const version = meta[PROTOCOL_VERSION_KEY]
  const logLevel = meta[LOG_LEVEL_KEY]
  const { progressToken } = meta
  return {
    version: typeof version === 'string' ? version : undefined,
    clientInfo: jsonObjectIn(meta[CLIENT_INFO_KEY]),
    clientCapabilities: jsonObjectIn(meta[CLIENT_CAPABILITIES_KEY]),
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    progressToken:
      typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : undefined,
  }
}

/** The params or result with these entries in `_meta`. */
export const withMeta = (params: JsonObject | undefined, entries: JsonObject): JsonObject => ({
  ...params,
  _meta: { ...metaOf(params), ...entries },
})

/**
 * Removes the `_meta` members that only requests without sessions have. An object that becomes empty is removed too;
 * without any change the same object is returned.
 */
export const withoutProtocolMeta = (params: JsonObject | undefined): JsonObject | undefined => {
  const meta = metaOf(params)
  if (!params || !meta || !protocolKeys.some((key) => key in meta)) return params
  const kept = Object.entries(meta).filter(([key]) => !protocolKeys.includes(key))
  if (kept.length > 0) return { ...params, _meta: Object.fromEntries(kept) }
  const { _meta, ...rest } = params
  return Object.keys(rest).length > 0 ? rest : undefined
}

/** The trace context of a request, from HTTP headers. */
export interface TraceContext {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
  readonly baggage?: string | undefined
}

/** Adds the trace context to `_meta`, unless the client has set it. */
export const withTraceContext = (
  params: JsonObject | undefined,
  trace: TraceContext,
): JsonObject | undefined => {
  const meta = metaOf(params)
  const entries: JsonObject = {}
  const { traceparent, tracestate, baggage } = trace
  // `tracestate` belongs to the span in `traceparent`: both must come from one side.
  if (traceparent !== undefined && meta?.traceparent === undefined) {
    entries.traceparent = traceparent
    if (tracestate !== undefined) entries.tracestate = tracestate
  }
  if (baggage !== undefined && meta?.baggage === undefined) entries.baggage = baggage
  return Object.keys(entries).length > 0 ? withMeta(params, entries) : params
}

const protocolKeys = [PROTOCOL_VERSION_KEY, CLIENT_INFO_KEY, CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY]

const metaOf = (params: JsonObject | undefined): JsonObject | undefined => jsonObjectIn(params?._meta)

const noMeta: RequestMeta = {
  version: undefined,
  clientInfo: undefined,
  clientCapabilities: undefined,
  logLevel: undefined,
  progressToken: undefined,
}

import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'

/** Input that a server requests from the client before it continues. */
export interface InputRequest {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** An interim result: the client must repeat its request with the requested input. */
export interface InputRequired {
  readonly resultType: 'input_required'
  /** By names of the server's choice. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** The client sends it back unchanged. */
  readonly requestState?: string
}

/** Makes an `input_required` result. It needs at least one of the two; an empty map counts as none. */
export const inputRequired = (
  inputRequests: Readonly<Record<string, InputRequest>> | undefined,
  requestState: string | undefined,
): InputRequired & JsonObject => ({
  resultType: 'input_required',
  ...(inputRequests !== undefined && Object.keys(inputRequests).length > 0 && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
})

/** @returns Whether the result is `input_required`. */
export const isInputRequired = (result: JsonObject): boolean => result.resultType === 'input_required'

/** The input requests of a result, by name; undefined if they are malformed. */
export const inputRequestsOf = (result: JsonObject): ReadonlyMap<string, InputRequest> | undefined => {
  const { inputRequests } = result
  const requests = new Map<string, InputRequest>()
  if (inputRequests === undefined) return requests
  if (!isJsonObject(inputRequests)) return undefined
  for (const [name, request] of Object.entries(inputRequests)) {
    if (!isJsonObject(request)) return undefined
    const { method, params } = request
    if (typeof method !== 'string' || (params !== undefined && !isJsonObject(params))) return undefined
    requests.set(name, { method, params })
  }
  return requests
}

/** The client's responses, by the names of the requests. Values other than objects are ignored. */
export const inputResponsesOf = (params: JsonObject | undefined): ReadonlyMap<string, JsonObject> => {
  const responses = new Map<string, JsonObject>()
  const inputResponses = params?.inputResponses
  if (isJsonObject(inputResponses))
    for (const [name, response] of Object.entries(inputResponses))
      if (isJsonObject(response)) responses.set(name, response)
  return responses
}

/** The request state that the client sends back. */
export const requestStateOf = (params: JsonObject | undefined): string | undefined =>
  typeof params?.requestState === 'string' ? params.requestState : undefined

/** The capability that a client needs for a request; undefined for an unknown method. */
export const capabilityNeeded = (method: string, params?: JsonObject): JsonObject | undefined => {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params?.mode === 'url' ? { url: {} } : { form: {} } }
    case 'sampling/createMessage':
      return {
        sampling: params?.tools === undefined && params?.toolChoice === undefined ? {} : { tools: {} },
      }
    case 'roots/list':
      return { roots: {} }
    default:
      return undefined
  }
}

/** Needed capabilities that the client has not declared; undefined if none. */
export const missingCapability = (
  declared: JsonObject | undefined,
  needed: JsonObject,
): JsonObject | undefined => {
  const missing: JsonObject = {}
  for (const [name, details] of Object.entries(needed)) {
    const own = declared?.[name]
    if (!isJsonObject(own)) {
      missing[name] = details
      continue
    }
    const lacks = isJsonObject(details)
      ? Object.entries(details).filter(
          ([detail]) => !isJsonObject(own[detail]) && !isImplied(name, own, detail),
        )
      : []
    if (lacks.length > 0) missing[name] = Object.fromEntries(lacks)
  }
  return Object.keys(missing).length > 0 ? missing : undefined
}

/** A client that declares `elicitation` without details supports forms, which came first. */
const isImplied = (name: string, own: JsonObject, detail: string): boolean =>
  name === 'elicitation' && detail === 'form' && !isJsonObject(own.url)

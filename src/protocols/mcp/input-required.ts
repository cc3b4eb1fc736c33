import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'

/** Something a server wants from the client before it goes on. */
export interface InputRequest {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** A result that is none yet: the client is to come again with what is asked for. */
export interface InputRequired {
  readonly resultType: 'input_required'
  /** By names of the server's choice. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** Comes back as it is. */
  readonly requestState?: string
}

/** Makes such a result. It needs at least one of the two; an empty map of requests is none. */
export const inputRequired = (
  inputRequests: Readonly<Record<string, InputRequest>> | undefined,
  requestState: string | undefined,
): InputRequired & JsonObject => ({
  resultType: 'input_required',
  ...(inputRequests !== undefined && Object.keys(inputRequests).length > 0 && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
})

/** @returns Whether the client is to come again. */
export const isInputRequired = (result: JsonObject): boolean => result.resultType === 'input_required'

/** What a server asks for, by name: undefined if it says so in a way that cannot be understood. */
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

/** The client's answers, by the names of the requests. What is no object is no answer. */
export const inputResponsesOf = (params: JsonObject | undefined): ReadonlyMap<string, JsonObject> => {
  const responses = new Map<string, JsonObject>()
  const inputResponses = params?.inputResponses
  if (isJsonObject(inputResponses))
    for (const [name, response] of Object.entries(inputResponses))
      if (isJsonObject(response)) responses.set(name, response)
  return responses
}

/** The state that the client brings back. */
export const requestStateOf = (params: JsonObject | undefined): string | undefined =>
  typeof params?.requestState === 'string' ? params.requestState : undefined

/** Which capability a client must have to be asked; undefined for a request that no client knows. */
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

/** What a client lacks of the capabilities that are needed; undefined if nothing. */
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

/** A client that says nothing of how it asks people has forms, which came first. */
const isImplied = (name: string, own: JsonObject, detail: string): boolean =>
  name === 'elicitation' && detail === 'form' && !isJsonObject(own.url)

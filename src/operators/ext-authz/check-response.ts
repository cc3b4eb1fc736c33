import type { JsonObject } from '@bufbuild/protobuf'
import { Headers } from '../../model/exchange/headers.ts'
import type { HeaderValueOption } from '../../protocols/grpc/core.gen.ts'
import type { CheckResponse, DeniedHttpResponse, OkHttpResponse } from '../../protocols/grpc/ext-authz.gen.ts'
import { applyFieldChanges, type FieldChange, fieldChange } from '../headers/header-mutation.ts'
import { headerText } from '../headers/header-value.ts'
import { type CheckResult, undecided } from './check-result.ts'

/**
 * Decodes a response of Envoy's `Authorization` service.
 *
 * A request is allowed only if the status is OK and nothing in the response contradicts it: an empty response refuses.
 *
 * @throws Fault `ext_authz_failed` if the service reports that it could not decide.
 */
export const checkResultOf = (response: CheckResponse): CheckResult => {
  const { status, httpResponse, dynamicMetadata } = response
  if (httpResponse.case === 'errorResponse') throw undecided('the service could not decide')
  const ok = httpResponse.case === 'okResponse' ? httpResponse.value : undefined
  const metadata = dynamicMetadata ?? ok?.dynamicMetadata
  if (httpResponse.case === 'deniedResponse') return denied(httpResponse.value, metadata)
  const isAllowed = status ? status.code === 0 : ok !== undefined
  return isAllowed ? allowed(ok, metadata) : denied(undefined, metadata)
}

const allowed = (ok: OkHttpResponse | undefined, metadata: JsonObject | undefined): CheckResult => ({
  allowed: true,
  removed: (ok?.headersToRemove ?? []).map((name) => name.toLowerCase()),
  fields: changesOf(ok?.headers),
  query: {
    set: (ok?.queryParametersToSet ?? []).map(({ key, value }) => [key, value] as const),
    removed: ok?.queryParametersToRemove ?? [],
  },
  replyFields: changesOf(ok?.responseHeadersToAdd),
  metadata,
  isCacheable: true,
})

const denied = (given: DeniedHttpResponse | undefined, metadata: JsonObject | undefined): CheckResult => {
  const headers = new Headers()
  applyFieldChanges(headers, changesOf(given?.headers))
  const code = given?.status?.code ?? 0
  return {
    allowed: false,
    status: code >= 200 && code <= 599 ? code : 403,
    headers,
    body: given && (given.body || given.headers.length) ? Buffer.from(given.body) : undefined,
    metadata,
    isCacheable: true,
  }
}

const changesOf = (options: readonly HeaderValueOption[] = []): FieldChange[] =>
  options.flatMap((option) => {
    const { header } = option
    if (!header) return []
    const value = header.rawValue.length ? Buffer.from(header.rawValue).toString('latin1') : header.value
    // Without a field that identifies the caller, it would be a different request.
    if (headerText(value) === undefined)
      throw undecided(`no header can carry what the service gave ${header.key}`)
    return fieldChange(header.key, value, actionOf(option, header.key)) ?? []
  })

const actions = ['append', 'add-if-absent', 'set', 'set-if-present'] as const

/**
 * The default is to replace a field: these services are documented so, and the client's value must not remain beside
 * the service's. Only Set-Cookie is appended, since each cookie is a field of its own.
 */
const actionOf = ({ append, appendAction }: HeaderValueOption, name: string): FieldChange['action'] => {
  if (append !== undefined) return append ? 'append' : 'set'
  const action = actions[appendAction] ?? 'set'
  return action === 'append' && name.toLowerCase() !== 'set-cookie' ? 'set' : action
}

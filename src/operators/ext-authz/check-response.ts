import type { JsonObject } from '@bufbuild/protobuf'
import { Headers } from '../../model/headers.ts'
import type { HeaderValueOption } from '../../protocols/grpc/core.gen.ts'
import type { CheckResponse, DeniedHttpResponse, OkHttpResponse } from '../../protocols/grpc/ext-authz.gen.ts'
import { applyFieldChanges, type FieldChange, fieldChange } from '../field-change.ts'
import { type Judgement, undecided } from './judgement.ts'

/**
 * What Envoy's `Authorization` service said.
 *
 * It lets pass only if it says so and nothing in the answer contradicts it: an empty answer is a no.
 *
 * @throws Fault `ext_authz_failed` if the service reports that it could not decide.
 */
export const judgementOf = (answer: CheckResponse): Judgement => {
  const { status, httpResponse, dynamicMetadata } = answer
  if (httpResponse.case === 'errorResponse') throw undecided('the service could not decide')
  const ok = httpResponse.case === 'okResponse' ? httpResponse.value : undefined
  const metadata = dynamicMetadata ?? ok?.dynamicMetadata
  if (httpResponse.case === 'deniedResponse') return denied(httpResponse.value, metadata)
  const isAllowed = status ? status.code === 0 : ok !== undefined
  return isAllowed ? allowed(ok, metadata) : denied(undefined, metadata)
}

const allowed = (ok: OkHttpResponse | undefined, metadata: JsonObject | undefined): Judgement => ({
  allowed: true,
  removed: (ok?.headersToRemove ?? []).map((name) => name.toLowerCase()),
  fields: changesOf(ok?.headers),
  query: {
    set: (ok?.queryParametersToSet ?? []).map(({ key, value }) => [key, value] as const),
    removed: ok?.queryParametersToRemove ?? [],
  },
  replyFields: changesOf(ok?.responseHeadersToAdd),
  metadata,
  mayBeRemembered: true,
})

const denied = (given: DeniedHttpResponse | undefined, metadata: JsonObject | undefined): Judgement => {
  const headers = new Headers()
  applyFieldChanges(headers, changesOf(given?.headers))
  const code = given?.status?.code ?? 0
  return {
    allowed: false,
    status: code >= 200 && code <= 599 ? code : 403,
    headers,
    body: given && (given.body || given.headers.length) ? Buffer.from(given.body) : undefined,
    metadata,
    mayBeRemembered: true,
  }
}

const changesOf = (options: readonly HeaderValueOption[] = []): FieldChange[] =>
  options.flatMap((option) => {
    const { header } = option
    if (!header) return []
    const value = header.rawValue.length ? Buffer.from(header.rawValue).toString('latin1') : header.value
    return fieldChange(header.key, value, actionOf(option, header.key)) ?? []
  })

const actions = ['append', 'add-if-absent', 'set', 'set-if-present'] as const

/**
 * Without a word about it a field is replaced: so these services are documented, and what a client sent must not stay
 * beside what the service says. Only cookies to be set add up, since each is a field of its own.
 */
const actionOf = ({ append, appendAction }: HeaderValueOption, name: string): FieldChange['action'] => {
  if (append !== undefined) return append ? 'append' : 'set'
  const action = actions[appendAction] ?? 'set'
  return action === 'append' && name.toLowerCase() !== 'set-cookie' ? 'set' : action
}

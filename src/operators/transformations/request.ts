import { BufferBody } from '../../model/exchange/body.ts'
import { type Evaluate, readsRequestBody } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { isToken } from '../../protocols/http/field-syntax.ts'
import { normalizeTarget } from '../../protocols/http/path.ts'
import { keepAsCame } from '../body/keep-original.ts'
import { bodyBytes } from './body-value.ts'
import { filterFault } from '../expression-fault.ts'
import { writtenText } from '../headers/header-value.ts'
import { setAuthority } from '../url-rewrite/url-rewrite.ts'
import {
  type CompiledTransformation,
  type TransformDirection,
  headerSteps,
  type Parts,
  replaceHeaders,
  type SetPart,
} from './header-steps.ts'

/**
 * Compiles the changes of a request.
 *
 * @throws Fault `filter_failed`, when run; `unwritable_header` if a header cannot contain an expression's result.
 */
export const transformRequest = (given: CompiledTransformation): ((x: Exchange) => void) => {
  const { replace, body } = given
  const { metadata, fields } = headerSteps(given, direction)
  return (x) => {
    for (const step of metadata) step(x)
    if (replace) {
      const error = replaceHeaders(x, x.request.headers, replace, direction)
      if (error !== undefined)
        throw filterFault('the request headers could not be replaced', error, readsRequestBody(replace))
    }
    for (const step of fields) step(x, x.request.headers)
    if (body) replaceBody(x, body)
  }
}

const replaceBody = (x: Exchange, expression: Evaluate): void => {
  const { request } = x
  const made = bodyBytes(expression(x))
  if ('error' in made)
    throw filterFault('the request body could not be transformed', made.error, readsRequestBody(expression))
  keepAsCame(x)
  request.body.drop()
  request.body = new BufferBody(made.bytes)
  request.headers.set('content-length', String(made.bytes.length))
  // Text is new; bytes may be the original ones, with their encoding.
  if (made.contentType) request.headers.delete('content-encoding')
}

const setGivenAuthority: SetPart = ({ request }, value) => {
  const authority = typeof value === 'string' ? parseAuthority(value)?.authority : undefined
  if (authority !== undefined) setAuthority(request, authority)
}

/** Parts of a request with names like header fields. */
export const requestParts: Parts = new Map<string, SetPart>([
  [
    ':method',
    ({ request }, value) => {
      // CONNECT would open a tunnel past every stage that reads requests.
      if (typeof value === 'string' && isToken(value) && value !== 'CONNECT') request.method = value
    },
  ],
  [
    ':path',
    ({ request, snapshot }, value) => {
      // A transformation may set any path that a client may send.
      const { mergeSlashes, encodedSlashes } = snapshot.resources.frontend.http.path
      const rules = { mergeSlashes, encodedSlashes: request.encodedSlashes ?? encodedSlashes }
      const target = typeof value === 'string' ? normalizeTarget(value, rules) : undefined
      if (typeof target !== 'object') return
      request.path = target.path
      request.query = target.query
    },
  ],
  [':authority', setGivenAuthority],
  ['host', setGivenAuthority],
  [
    ':scheme',
    ({ request }, value) => {
      if (value === 'http' || value === 'https') request.scheme = value
    },
  ],
])

const direction: TransformDirection = { parts: requestParts, textOf: writtenText }

import type { Exchange } from '../../model/exchange/exchange.ts'
import { applyFieldChanges } from '../headers/header-mutation.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { editQuery } from '../headers/query-parameters.ts'
import type { Allowed } from './check-result.ts'
import { stripSpoofedFields, dropForgedTrailers } from './strip-spoofed-headers.ts'

/** Applies the changes of a service that allowed a request. */
export const changeRequest = (
  { request }: Exchange,
  { removed, fields, query }: Allowed,
  resultHeaders: readonly string[],
): void => {
  stripSpoofedFields(request, resultHeaders)
  dropForgedTrailers(
    request,
    fields.map(({ name }) => name),
  )
  for (const name of removed) if (isEditable(name)) request.headers.delete(name)
  applyFieldChanges(request.headers, fields)
  request.query = editQuery(request.query, query.set, query.removed)
}

import type { Exchange } from '../../model/exchange/exchange.ts'
import { type Headers, Headers as Fields } from '../../model/exchange/headers.ts'
import type { HeaderValueOption } from '../../protocols/grpc/core.gen.ts'
import type { HeaderMutation } from '../../protocols/grpc/ext-proc.gen.ts'
import { isForbiddenTrailer } from '../../protocols/http/trailers.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { applyFieldChanges, fieldChange, type FieldChange } from '../headers/header-mutation.ts'
import type { Parts } from '../transformations/header-steps.ts'

/**
 * Applies a processor's changes to the head of a message: first removals, then the fields to set, in order. Fields for
 * framing and for the connection stay as they are.
 *
 * @param parts Pseudo-headers such as `:path`; one with an invalid value is left unchanged.
 * @param replaces Whether a field without an action replaces those of its name, in place of being added to them.
 * @returns The length that the processor announces for the body, if it does.
 */
export const changeHead = (
  x: Exchange,
  headers: Headers,
  mutation: HeaderMutation | undefined,
  parts: Parts,
  replaces = false,
): string | undefined => {
  if (!mutation) return undefined
  let length: string | undefined
  removeFields(headers, mutation)
  for (const option of mutation.setHeaders) {
    const name = option.header?.key.toLowerCase() ?? ''
    const value = valueOf(option)
    const setPart = parts.get(name)
    if (setPart) setPart(x, name === ':status' ? Number(value) : value)
    else if (name === 'content-length') length = value
    else applyFieldChanges(headers, changesOf(option, replaces))
  }
  return length
}

/** The same for trailers. None may be added that would change the message before them. */
export const changeTrailers = (
  trailers: readonly string[],
  mutation: HeaderMutation | undefined,
): readonly string[] => {
  if (!mutation) return trailers
  const fields = new Fields([...trailers])
  removeFields(fields, mutation)
  for (const option of mutation.setHeaders)
    if (!isForbiddenTrailer(option.header?.key ?? '')) applyFieldChanges(fields, changesOf(option))
  return fields.raw
}

/** The fields of an immediate response. */
export const ownFields = (mutation: HeaderMutation | undefined): Headers => {
  const fields = new Fields()
  for (const option of mutation?.setHeaders ?? []) applyFieldChanges(fields, changesOf(option))
  return fields
}

const removeFields = (headers: Headers, { removeHeaders }: HeaderMutation): void => {
  for (const name of removeHeaders) if (isEditable(name)) headers.delete(name.toLowerCase())
}

const changesOf = (option: HeaderValueOption, replaces = false): FieldChange[] => {
  const action = actionOf(option)
  const effective = replaces && option.append === undefined && action === 'append' ? 'set' : action
  const change = fieldChange(option.header?.key ?? '', valueOf(option), effective)
  return change ? [change] : []
}

const valueOf = ({ header }: HeaderValueOption): string =>
  header?.rawValue.length ? Buffer.from(header.rawValue).toString('latin1') : (header?.value ?? '')

const actions = ['append', 'add-if-absent', 'set', 'set-if-present'] as const

/** The deprecated `append` counts where it is set, because processors that set it do not know `appendAction`. */
const actionOf = ({ append, appendAction }: HeaderValueOption): FieldChange['action'] => {
  if (append !== undefined) return append ? 'append' : 'set'
  return actions[appendAction] ?? 'set'
}

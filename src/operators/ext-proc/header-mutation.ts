import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import { Headers as Fields } from '../../model/headers.ts'
import type { HeaderValueOption } from '../../protocols/grpc/core.gen.ts'
import type { HeaderMutation } from '../../protocols/grpc/ext-proc.gen.ts'
import { isForbiddenTrailer } from '../../protocols/http/trailers.ts'
import { isEditable } from '../editable-field.ts'
import { applyFieldChanges, fieldChange, type FieldChange } from '../field-change.ts'
import type { Parts } from '../transform/header-steps.ts'

/**
 * Changes the head of a message as a processor wants it: first what goes, then what is set, in its order. Fields that
 * frame the body or speak of the connection stay as they are.
 *
 * @param parts What is named like a field and is none, such as `:path`; a value that does not fit leaves it as it is.
 * @returns The length that the processor announces for the body, if it does.
 */
export const changeHead = (
  x: Exchange,
  headers: Headers,
  mutation: HeaderMutation | undefined,
  parts: Parts,
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
    else applyFieldChanges(headers, changesOf(option))
  }
  return length
}

/** Changes trailers likewise. None may be added that would change the message that they follow. */
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

/** The fields of an answer that a processor gives itself. */
export const ownFields = (mutation: HeaderMutation | undefined): Headers => {
  const fields = new Fields()
  for (const option of mutation?.setHeaders ?? []) applyFieldChanges(fields, changesOf(option))
  return fields
}

const removeFields = (headers: Headers, { removeHeaders }: HeaderMutation): void => {
  for (const name of removeHeaders) if (isEditable(name)) headers.delete(name.toLowerCase())
}

const changesOf = (option: HeaderValueOption): FieldChange[] => {
  const change = fieldChange(option.header?.key ?? '', valueOf(option), actionOf(option))
  return change ? [change] : []
}

const valueOf = ({ header }: HeaderValueOption): string =>
  header?.rawValue.length ? Buffer.from(header.rawValue).toString('latin1') : (header?.value ?? '')

const actions = ['append', 'add-if-absent', 'set', 'set-if-present'] as const

/** The older of two ways to say it counts where it is used, for whoever uses it does not know the other. */
const actionOf = ({ append, appendAction }: HeaderValueOption): FieldChange['action'] => {
  if (append !== undefined) return append ? 'append' : 'set'
  return actions[appendAction] ?? 'set'
}

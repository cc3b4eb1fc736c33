import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import type { ValidationContext } from './context.ts'

/** The secret of a field, if available. A file that is empty or cannot be read is a problem. */
export function secretOf(
  view: ValidationContext,
  source: File.SecretText,
  pointer: string,
): string | undefined {
  if (typeof source === 'string') return source
  const at = child(pointer, 'file')
  const text = view.fileText(at, source.file)?.trim()
  if (text === '') view.wrongValue(at, 'is empty', { value: source.file })
  return text
}

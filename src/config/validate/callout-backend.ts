import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { backendName } from '../normalize/references.ts'
import { declaredNames } from './known-names.ts'
import { checkReference } from './references.ts'
import type { ValidationContext } from './context.ts'

/**
 * Checks the backend of a callout: that it exists and can be called.
 *
 * @param pointer of the reference
 * @param heeded the policies of a named backend that have an effect on callouts
 * @param where they have it, for the warning about the others
 * @returns the named backend, if the reference is to one
 */
export function checkCalloutBackend(
  view: ValidationContext,
  reference: File.BackendReference,
  pointer: string,
  heeded: ReadonlySet<string>,
  where: string,
): File.NamedBackend | undefined {
  checkReference(view, declaredNames(view.document.value), reference, pointer)
  const { backend } = reference
  const named = view.file.backends?.find(({ name }) => backend !== undefined && name === backendName(backend))
  if (named !== undefined && named.host === undefined)
    view.wrongValue(child(pointer, 'backend'), 'must be a backend with a host: nothing else can be asked')
  const idle = Object.keys(named?.policies ?? {}).filter((name) => !heeded.has(name))
  if (idle.length)
    view.warning(
      child(pointer, 'backend'),
      'no_effect',
      `has policies that have no effect ${where}: ${idle.join(', ')}`,
    )
  return named
}

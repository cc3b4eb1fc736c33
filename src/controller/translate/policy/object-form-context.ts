import type { FormContext } from '../../schema/form-context.ts'
import type { RemoteJwksForm } from '../../schema/jwks-field.ts'
import type { GraphReads } from '../../graph/query.ts'
import { keySetSource, type KeySetSource } from '../jwks/key-set-source.ts'
import { storedKeys } from '../jwks/stored-key-set.ts'
import { backendOf, type Found, formReferences, type ReferenceHolder } from './form-references.ts'

/** An object that has policies, and what their translation finds. */
export interface PolicyHolder extends ReferenceHolder {
  /** The key sets that they need, by name. */
  readonly keySets: Map<string, KeySetSource>
}

/** The context for the forms of the policies of an object. */
export const objectFormContext = (
  reads: GraphReads,
  holder: PolicyHolder,
  report: (message: string) => void,
): FormContext => ({
  ...formReferences(reads, holder, report),
  remoteKeys: (form) => {
    const keys = remoteKeysOf(reads, holder, form)
    if ('value' in keys) return keys.value
    report(keys.problem)
    return undefined
  },
})

const remoteKeysOf = (reads: GraphReads, holder: PolicyHolder, form: RemoteJwksForm): Found<string> => {
  const backend = form.backendRef && backendOf(reads, holder, form.backendRef)
  if (backend && 'problem' in backend) return backend
  const source = keySetSource(reads, form, holder.namespace)
  if ('problem' in source) return source
  const known = holder.keySets.get(source.name)
  if (!known || source.refreshMs < known.refreshMs) holder.keySets.set(source.name, source)
  const keys = reads.query(storedKeys, source.name)
  return keys === undefined
    ? { problem: `the key set of ${source.url} is not available: not fetched yet, or the fetch failed` }
    : { value: keys }
}

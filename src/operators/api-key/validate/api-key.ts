import { child } from '../../../config/document/json-pointer.ts'
import { apiKeyHash } from '../normalize.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks for keys of several callers. */
export const checkApiKeys: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const keys = policies.apiKey?.keys
    if (keys === undefined) continue
    const at = child(child(pointer, 'apiKey'), 'keys')
    if (keys.length === 0) view.warning(at, 'no_keys', 'there is no key: nobody can come in with one')
    const known = new Map<string, string>()
    for (const { value, pointer: entry } of view.items(keys, at)) {
      const hash = apiKeyHash(value)
      const first = known.get(hash)
      if (first === undefined) known.set(hash, entry)
      else view.problem(entry, `is the same key as ${view.document.display(first)}`)
    }
  }
}

import { child } from '../instance-path.ts'
import { apiKeyHash } from '../normalize/api-key.ts'
import { policyContainers } from './policy-containers.ts'
import type { Examine } from './view.ts'

/** Keys that several callers would have. */
export const examineApiKeys: Examine = (view) => {
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

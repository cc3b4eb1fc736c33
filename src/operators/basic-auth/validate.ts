import { bcryptCost, parseHtpasswd } from '../../config/format/htpasswd.ts'
import { child } from '../../config/document/json-pointer.ts'
import { policyContainers } from '../../config/validate/policy-locations.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'

/** Checks for users that could never log in, and for hashes that take very long to verify. */
export const checkBasicAuth: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const { htpasswd } = policies.basicAuth ?? {}
    if (htpasswd === undefined) continue
    const at = child(child(pointer, 'basicAuth'), 'htpasswd')
    if (typeof htpasswd === 'string') examineUsers(view, at, htpasswd)
    else {
      const text = view.fileText(child(at, 'file'), htpasswd.file)
      if (text !== undefined) examineUsers(view, child(at, 'file'), text)
    }
  }
}

/** The bcrypt work factor from which verification takes seconds. */
const SLOW_COST = 14

function examineUsers(view: ValidationContext, pointer: string, text: string): void {
  const { users, problems } = parseHtpasswd(text)
  for (const { line, expectation, hint } of problems) {
    view.problem(pointer, `line ${String(line)} ${expectation}`, hint)
  }
  if (users.length + problems.length === 0)
    view.warning(pointer, 'no_users', 'there is no user: nobody can log in')
  const slow = users.find(({ hash }) => (bcryptCost(hash) ?? 0) >= SLOW_COST)
  if (slow) {
    view.warning(
      pointer,
      'slow_password',
      `the first check of a password of ${JSON.stringify(slow.name)} takes seconds: its bcrypt cost is ${String(bcryptCost(slow.hash))}`,
    )
  }
}

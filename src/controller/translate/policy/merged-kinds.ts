import { policyRows } from '../../../config/policies.ts'

/** The policies of which proxies combine several. Of the others one replaces the next. */
export const mergedKinds: ReadonlySet<string> = new Set(
  policyRows.filter(([, { merge }]) => merge).map(([name]) => name),
)

import { accessPolicies } from './policies/access.ts'
import { backendPolicyRows } from './policies/backend.ts'
import { tokenPolicies } from './policies/tokens.ts'
import { trafficPolicies } from './policies/traffic.ts'
import type { LevelCell, PolicyLevel, PolicyRow } from './policy-row.ts'

/**
 * The policies, one row each. Schema, normal form, merging, inheritance, checks, dumps, traces and reference follow from
 * it. The rows are in the order of the definitions in the schema.
 */
export const policies = {
  ...accessPolicies,
  ...trafficPolicies,
  ...tokenPolicies,
  ...backendPolicyRows,
} as const

/** The rows without their exact types, for loops over the table. */
export const policyRows: readonly (readonly [name: string, row: PolicyRow])[] = Object.entries(policies)

/** The policies of a level with their cells, in the order of the reference or of dumps. */
export const policiesOf = (
  level: PolicyLevel,
  order: 'documented' | 'printed',
): readonly (readonly [name: string, row: PolicyRow, cell: LevelCell])[] =>
  policyRows
    .flatMap(([name, row]) => (row[level] ? [[name, row, row[level]] as const] : []))
    .sort(([, , a], [, , b]) => (a[order] ?? LAST) - (b[order] ?? LAST))

const LAST = Number.MAX_SAFE_INTEGER

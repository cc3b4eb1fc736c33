import { defineQuery, type Query } from '../../graph/query.ts'

/** PLACEHOLDER */
export type GatewayClientCertificate =
  { readonly certPem: string; readonly keyPem: string } | { readonly invalid: string }

/** PLACEHOLDER */
export const gatewayClientCertificate: Query<GatewayClientCertificate | undefined> = defineQuery(
  'gatewayClientCertificate',
  () => undefined,
)

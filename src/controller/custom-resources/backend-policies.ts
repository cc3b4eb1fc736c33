import { backendHttpField } from '../../upstream/http/kubernetes.ts'

/** The fields of `backend`, and of the `policies` of a ProxyBackend. */
export const backendPolicyFields = { http: backendHttpField } as const

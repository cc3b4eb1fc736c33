import { backendHttpForm } from '../../upstream/http/kubernetes.ts'

/** The fields of `backend` of a ProxyPolicy, and of the `policies` of a ProxyBackend. */
export const backendForms = { http: backendHttpForm } as const

import { connectForm } from '../../streams/http/frontend/kubernetes.ts'

/** The fields of `frontend` of a ProxyPolicy. */
export const frontendForms = { connect: connectForm } as const

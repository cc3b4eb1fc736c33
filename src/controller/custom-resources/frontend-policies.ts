import { connectField } from '../../streams/http/frontend/kubernetes.ts'

/** The fields of `frontend`. */
export const frontendPolicyFields = { connect: connectField } as const

import { csrfField } from '../../operators/csrf/kubernetes.ts'

/** The fields of `traffic`. */
export const trafficPolicyFields = { csrf: csrfField } as const

import { csrfForm } from '../../operators/csrf/kubernetes.ts'

/** The fields of `traffic` of a ProxyPolicy. */
export const trafficForms = { csrf: csrfForm } as const

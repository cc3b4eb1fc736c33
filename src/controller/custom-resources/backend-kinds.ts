import { a2aBackendForm } from '../../operators/a2a/kubernetes.ts'
import { awsBackendForm } from '../../operators/backend/kubernetes/aws-backend.ts'
import { dynamicBackendForm } from '../../operators/backend/kubernetes/dynamic-backend.ts'
import { staticBackendForm } from '../../operators/backend/kubernetes/static-backend.ts'
import type { BackendForm } from '../schema/backend-form.ts'

/** The kinds of a ProxyBackend, by the names of their fields. Schema and translation follow from them. */
export const backendKinds: Readonly<Record<string, BackendForm>> = {
  a2a: a2aBackendForm,
  aws: awsBackendForm,
  dynamicForwardProxy: dynamicBackendForm,
  static: staticBackendForm,
}

import type * as File from '../../config/schema/file-types.gen.ts'
import type { RemoteJwksForm } from './jwks-field.ts'
import type { BackendRefForm } from './reference-fields.ts'

/** What the translation of a policy may look up. What leads nowhere is reported, and undefined. */
export interface FormContext {
  /** The namespace of the object that the policy is in. */
  readonly namespace: string
  /** Reports a problem; the policy is partly valid as long as it has a translation. */
  readonly report: (message: string) => void
  /** A service, as policies of the file name it; spread it into them. */
  readonly backend: (reference: BackendRefForm) => ServiceOfPolicy | undefined
  /** What serves models: a Service, or an InferencePool, whose picker chooses the endpoint. Policies cannot call pools. */
  readonly modelServer: (
    reference: BackendRefForm,
  ) => Extract<ServiceOfPolicy, { readonly service: unknown }> | undefined
  /** As `backend`, for the two fields of `endpointFields`. A URL loses its path. */
  readonly endpoint: (fields: {
    readonly backendRef?: BackendRefForm
    readonly url?: string
  }) => ServiceOfPolicy | undefined
  /** The text under a key of a Secret of this namespace, without space around it. */
  readonly secretKey: (reference: SecretReference, defaultKey: string) => string | undefined
  /** All texts of a Secret of this namespace, by key. */
  readonly secret: (reference: SecretReference) => Texts | undefined
  /** The text under a key of a ConfigMap of this namespace. */
  readonly configMapKey: (name: string, key: string) => string | undefined
  /** The Secrets or ConfigMaps of this namespace that have all of the labels, the oldest first. */
  readonly labelled: (
    kind: 'Secret' | 'ConfigMap',
    labels: Readonly<Record<string, string>>,
  ) => readonly { readonly name: string; readonly texts: Texts }[]
  /** The certificates of authorities of this namespace, as PEM; undefined if one is missing. */
  readonly authorities: (
    references: readonly { readonly kind?: 'ConfigMap' | 'Secret'; readonly name: string }[],
  ) => string | undefined
  /** The key set, as text, that the control plane has fetched. */
  readonly remoteKeys: (form: RemoteJwksForm) => string | undefined
}

/** How policies of the file name the service that they call. */
export type ServiceOfPolicy =
  { readonly service: File.ServiceReference } | { readonly backend: string } | { readonly host: string }

/** A reference to a Secret of the same namespace. */
export interface SecretReference {
  readonly group?: string
  readonly kind?: string
  readonly name: string
  readonly key?: string
  /** Whether the Secret may lack the key. */
  readonly optional?: boolean
}

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>

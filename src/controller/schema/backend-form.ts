import type * as File from '../../config/schema/file-types.gen.ts'
import type { LabelSelector } from '../kinds/object.ts'
import type { SchemaField } from './field.ts'
import type { FormContext } from './form-context.ts'
import type { PolicyForm } from './policy-form.ts'

/** What a ProxyBackend is in the notation of the configuration file, with the policies that its kind implies. */
export type BackendParts = Omit<File.NamedBackend, 'name'>

/** What the translation of a ProxyBackend may look up. */
export interface BackendFormContext extends FormContext {
  /** The policies of a part of the backend, such as a server. `path` is that of the field that has them. */
  readonly policies: (
    forms: Readonly<Record<string, PolicyForm>>,
    fields: Readonly<Record<string, unknown>>,
    path: string,
  ) => File.BackendPolicies
  /**
   * Services with application protocols, by labels of theirs and of their namespaces, in the order of their keys. Those
   * that a ReferenceGrant would have to allow, and none does, are left out.
   */
  readonly services: (selector: ServiceSelector) => readonly SelectedService[]
  /** Why proxies would refuse such a backend. */
  readonly refusal: (parts: BackendParts) => string | undefined
  /** Policies that name `group` are those of these parts: providers, or servers. Parts need no group to be named. */
  readonly group: (group: string, part: string) => void
}

/** Services by labels. Without `namespaces` they are of the namespace of the backend. */
export interface ServiceSelector {
  readonly namespaces?: LabelSelector
  readonly services?: LabelSelector
}

/** A Service that a selector has found. */
export interface SelectedService {
  readonly namespace: string
  readonly name: string
  /** When it was created, in a form that can be compared as text. */
  readonly createdAt: string
  readonly annotations: Readonly<Record<string, string>>
  readonly ports: readonly {
    readonly name?: string
    readonly port: number
    readonly appProtocol?: string
  }[]
}

/** The Kubernetes form of a kind of backend: the field of a ProxyBackend, and what it means. */
export interface BackendForm<Form = never> {
  readonly field: SchemaField
  /** Undefined if nothing of it can be used; why has been reported. */
  readonly translate: (form: Form, context: BackendFormContext) => BackendParts | undefined
}

/**
 * Makes a form. Parts that cannot be used are reported and left out, if the others serve without them.
 *
 * @example
 * backendForm({ field: a2aField, translate: (form) => ({ host: hostAndPort(form), policies: { a2a: {} } }) })
 */
export const backendForm = <Form>(form: {
  readonly field: SchemaField<Form>
  readonly translate: (form: Form, context: BackendFormContext) => BackendParts | undefined
}): BackendForm<Form> => form

/** An address in the notation of the file. */
export const hostAndPort = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`

import type * as File from '../../config/schema/file-types.gen.ts'
import type { SchemaField, SchemaFields } from './field.ts'
import type { FormContext } from './form-context.ts'

/**
 * The Kubernetes form of a policy: the field of a ProxyPolicy, and what it means in the notation of the configuration
 * file. It is made by `policyForm`, in the `kubernetes.ts` of the policy.
 */
export interface PolicyForm<Form = never> {
  readonly field: SchemaField
  /** Undefined if nothing of it can be used; why has been reported. */
  readonly translate: (form: Form, context: FormContext) => File.AttachedPolicy | undefined
  /** What applies in place of a policy that cannot be used at all; nothing without it. */
  readonly whenBroken: ((message: string) => File.AttachedPolicy) | undefined
  /** Texts in place of those of warnings of the file that name fields of it, by their codes. */
  readonly warnings: Readonly<Partial<Record<string, string>>> | undefined
}

/**
 * Makes a form. A policy that decides who may do what has `whenBroken`: a mistake in it must not open anything.
 *
 * @example
 * policyForm({ field: csrfField, translate: ({ additionalOrigins = [] }) => ({ csrf: { additionalOrigins: [...additionalOrigins] } }) })
 */
export const policyForm = <Form>(form: {
  readonly field: SchemaField<Form>
  readonly translate: (form: Form, context: FormContext) => File.AttachedPolicy | undefined
  readonly whenBroken?: (message: string) => File.AttachedPolicy
  readonly warnings?: Readonly<Partial<Record<string, string>>>
}): PolicyForm<Form> => ({ ...form, whenBroken: form.whenBroken, warnings: form.warnings })

/** `whenBroken` of policies of requests: every request is refused with 403. */
export const refuseRequests = (): File.AttachedPolicy => ({ authorization: { rules: [{ deny: 'true' }] } })

/**
 * `whenBroken` of TLS to backends: every connection fails, with the message in the log. A nearer `backendTLS` replaces it,
 * as it would the policy: other policies have fields `invalid` of their own.
 */
export const refuseConnections = (message: string): File.AttachedPolicy => ({
  backendTLS: { invalid: message },
})

/** The fields of a table of forms. */
export const fieldsOfForms = <const Forms extends Readonly<Record<string, PolicyForm>>>(
  forms: Forms,
): { readonly [Name in keyof Forms]: SchemaField } => {
  const fields: SchemaFields = Object.fromEntries(
    Object.entries(forms).map(([name, { field }]) => [name, field]),
  )
  return fields as { readonly [Name in keyof Forms]: SchemaField }
}

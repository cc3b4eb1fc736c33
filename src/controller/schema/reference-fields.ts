/**
 * Fields that refer to other objects.
 *
 * @module
 */
import { type SchemaField, type FormOf, requiredField } from './field.ts'
import { objectField } from './object-fields.ts'
import { enumField, stringField } from './scalar-fields.ts'
import { portField } from './value-fields.ts'
import { validationRule } from './validation-rule.ts'

/** The name of an object. */
export const objectNameField = (description: string): SchemaField<string> =>
  stringField(description, { minLength: 1, maxLength: 253 })

/** The name of a namespace. */
export const namespaceField = (description: string): SchemaField<string> =>
  stringField(description, { minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' })

/** The group of a kind; empty for the core group. */
export const groupField = (description: string, value?: string): SchemaField<string> =>
  stringField(description, {
    maxLength: 253,
    pattern: String.raw`^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
    ...(value === undefined ? {} : { default: value }),
  })

/** A kind. */
export const kindField = (description: string, value?: string): SchemaField<string> =>
  stringField(description, {
    minLength: 1,
    maxLength: 63,
    pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$',
    ...(value === undefined ? {} : { default: value }),
  })

/** The name of a listener, a rule, a provider or a target. */
export const sectionNameField = (description: string): SchemaField<string> =>
  stringField(description, {
    minLength: 1,
    maxLength: 253,
    pattern: String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
  })

const portOfService = validationRule(
  'Must have port for Service reference',
  "!(self.group == '' && self.kind == 'Service') || has(self.port)",
)

/** A Service or a ProxyBackend, of any namespace. */
export const backendRefField = (description: string) =>
  objectField(
    description,
    {
      group: groupField('Group of the kind; empty for Services.', ''),
      kind: kindField('`Service`, or `ProxyBackend` of `agentgateway.dev`.', 'Service'),
      name: requiredField(objectNameField('Name of the object.')),
      namespace: namespaceField('Namespace, if not that of the object that refers to it.'),
      port: portField('Port of the Service.'),
    },
    { rules: [portOfService] },
  )

/** What `backendRefField` holds. */
export type BackendRefForm = FormOf<ReturnType<typeof backendRefField>>

/** A backend of the same namespace. */
export const localBackendRefField = (description: string) =>
  objectField(
    description,
    {
      group: groupField('Group of the kind; empty for Services.', ''),
      kind: kindField('Kind of the object.', 'Service'),
      name: requiredField(objectNameField('Name of the object.')),
      port: portField('Port of the Service.'),
    },
    { rules: [portOfService] },
  )

const groupAndKind = validationRule(
  'group and kind must be both set or both default',
  "(!has(self.group) || self.group == '') == (!has(self.kind) || self.kind == 'Secret')",
)

const secretFields = {
  group: groupField('Group of the kind, where it is no Secret.'),
  kind: stringField('Kind, where it is no Secret.', { maxLength: 63 }),
  name: requiredField(objectNameField('Name of the Secret.')),
}

/** A Secret of the same namespace. */
export const localSecretRefField = (description: string) =>
  objectField(description, secretFields, { rules: [groupAndKind] })

/** A Secret of the same namespace and one of its keys. */
export const secretKeyRefField = (description: string) =>
  objectField(
    description,
    { ...secretFields, key: objectNameField('Key in the data of the Secret.') },
    { rules: [groupAndKind] },
  )

/** What `localSecretRefField` and `secretKeyRefField` hold. */
export type SecretKeyRefForm = FormOf<ReturnType<typeof secretKeyRefField>>

/** Certificates of authorities: the key `ca.crt` of a ConfigMap or a Secret of the same namespace. */
export const caCertificateRefField = (description: string) =>
  objectField(description, {
    kind: enumField('`ConfigMap` or `Secret`.', ['ConfigMap', 'Secret'], { default: 'ConfigMap' }),
    name: requiredField(objectNameField('Name of the object.')),
  })

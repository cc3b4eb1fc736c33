/**
 * Statuses of custom resources.
 *
 * @module
 */
import { type SchemaField, requiredField } from './field.ts'
import { listField, objectField } from './object-fields.ts'
import {
  groupField,
  kindField,
  namespaceField,
  objectNameField,
  sectionNameField,
} from './reference-fields.ts'
import { enumField, integerField, stringField } from './scalar-fields.ts'
import { portField } from './value-fields.ts'

/** Conditions, one of each type. */
export const conditionsField = (maxItems: number) =>
  listField(
    'Conditions.',
    objectField('One aspect of the state.', {
      type: requiredField(stringField('Type.', { maxLength: 316 })),
      status: requiredField(enumField('Whether it holds.', ['True', 'False', 'Unknown'])),
      reason: requiredField(
        stringField('Why, in one word.', {
          minLength: 1,
          maxLength: 1024,
          pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
        }),
      ),
      message: requiredField(stringField('Why, for people.', { maxLength: 32_768 })),
      observedGeneration: integerField('Generation of the object that it is about.', { minimum: 0 }),
      lastTransitionTime: requiredField(
        stringField('When it last changed.', { format: 'date-time', maxLength: 64 }),
      ),
    }),
    { maxItems, keys: ['type'] },
  )

/** The status of a policy: what each Gateway says that it is about. */
export const policyStatusField: SchemaField = objectField('What control planes say of it.', {
  ancestors: requiredField(
    listField(
      'A Gateway each, with the conditions there.',
      objectField('The policy at one Gateway.', {
        ancestorRef: requiredField(parentReferenceField('The Gateway.')),
        controllerName: requiredField(stringField('Who says so.', { minLength: 1, maxLength: 253 })),
        conditions: conditionsField(8),
      }),
      { maxItems: 16 },
    ),
  ),
})

/** A status of nothing but conditions. */
export const conditionStatusField: SchemaField = objectField('What the control plane says of it.', {
  conditions: conditionsField(8),
})

/** The status of what attaches to Gateways like a route. */
export const routeStatusField: SchemaField = objectField('What control planes say of it.', {
  parents: requiredField(
    listField(
      'A parent each, with the conditions there.',
      objectField('The object at one parent.', {
        parentRef: requiredField(parentReferenceField('The parent.')),
        controllerName: requiredField(stringField('Who says so.', { minLength: 1, maxLength: 253 })),
        conditions: conditionsField(8),
      }),
      { maxItems: 16 },
    ),
  ),
})

/** A Gateway or a ListenerSet, or one of its listeners. */
export function parentReferenceField(description: string) {
  return objectField(description, {
    group: groupField('Group of the kind.', 'gateway.networking.k8s.io'),
    kind: kindField('Kind of the object.', 'Gateway'),
    name: requiredField(objectNameField('Name of the object.')),
    namespace: namespaceField('Namespace, if not its own.'),
    port: portField('Port.'),
    sectionName: sectionNameField('Name of a listener.'),
  })
}

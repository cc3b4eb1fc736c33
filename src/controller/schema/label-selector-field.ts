import { requiredField, type SchemaField } from './field.ts'
import type { LabelSelector } from '../kinds/object.ts'
import { listField, mapField, objectField } from './object-fields.ts'
import { enumField, stringField } from './scalar-fields.ts'

const labelKeyField = stringField('Key of the label.', { minLength: 1, maxLength: 317 })
const labelValueField = stringField('Value.', { maxLength: 63 })

/** A selector of labels. Without conditions it selects everything. */
export const labelSelectorField = (description: string): SchemaField<LabelSelector> =>
  objectField(description, {
    matchLabels: mapField('Labels; all of them.', labelValueField, { maxProperties: 64 }),
    matchExpressions: listField(
      'Conditions; all of them.',
      objectField('A condition.', {
        key: requiredField(labelKeyField),
        operator: requiredField(
          enumField('How the label compares with the values.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
        ),
        values: listField('Values, for `In` and `NotIn`.', labelValueField, { maxItems: 64 }),
      }),
      { maxItems: 16 },
    ),
  })

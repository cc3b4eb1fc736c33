import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionalField, translateConditional } from '../../../src/controller/schema/conditional-field.ts'
import { requiredField } from '../../../src/controller/schema/field.ts'
import { exactlyOneOf } from '../../../src/controller/schema/validation-rule.ts'
import { shortStringField } from '../../../src/controller/schema/value-fields.ts'

test('a field that may be conditional', async (t) => {
  await t.test('requires in entries, and in a policy without them, what a policy requires', () => {
    const { schema } = conditionalField(
      'A policy.',
      { a: requiredField(shortStringField('A.')), b: shortStringField('B.'), c: shortStringField('C.') },
      [exactlyOneOf('b', 'c')],
    )
    assert.equal(schema.required, undefined)
    assert.deepEqual(schema.properties?.conditional?.items?.properties?.policy?.required, ['a'])
    assert.deepEqual(
      schema['x-kubernetes-validations']?.map(({ message }) => message),
      [
        'conditional cannot be set with any other field',
        'a is required unless conditional is set',
        'exactly one of the fields in [b c] must be set',
      ],
    )
  })

  await t.test('is one policy, or several with their conditions', () => {
    const one = ({ a }: { readonly a: string }) => (a === '' ? undefined : { b: a })
    assert.deepEqual(translateConditional({ a: 'x' }, one), { b: 'x' })
    assert.deepEqual(
      translateConditional(
        { conditional: [{ condition: 'true', policy: { a: 'x' } }, { policy: { a: 'y' } }] },
        one,
      ),
      { conditional: [{ condition: 'true', b: 'x' }, { b: 'y' }] },
    )
  })

  await t.test('is nothing if one of several cannot be translated', () => {
    const form = { conditional: [{ condition: 'true', policy: { a: '' } }, { policy: { a: 'y' } }] }
    assert.equal(
      translateConditional(form, ({ a }: { readonly a: string }) => (a === '' ? undefined : { b: a })),
      undefined,
    )
  })
})

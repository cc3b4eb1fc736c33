import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { proxyParametersResource } from '../../src/controller/custom-resources/proxy-parameters.ts'
import type { StructuralSchema } from '../../src/controller/schema/field.ts'
import { tableRows } from '../support/table-rows.ts'

const page = readFileSync('docs/reference/proxy-parameters.md', 'utf8')

/** Fields that the page describes as a whole. */
const whole =
  /^(env\[\]\.valueFrom|deployment|daemonSet|service|serviceAccount|podDisruptionBudget|horizontalPodAutoscaler)\b/

const fieldsOf = (schema: StructuralSchema, path: string): readonly string[] => {
  const [summary] = whole.exec(path) ?? []
  if (summary !== undefined) return [summary]
  if (schema.items) {
    const isObject = schema.items.properties !== undefined
    return isObject ? fieldsOf(schema.items, `${path}[]`) : [path]
  }
  const fields = Object.entries(schema.properties ?? {})
  return fields.length === 0
    ? [path]
    : fields.flatMap(([name, child]) => fieldsOf(child, path === '' ? name : `${path}.${name}`))
}

test('the reference of ProxyParameters has every field, and no other', () => {
  const fields = [...new Set(fieldsOf(proxyParametersResource.spec.schema, ''))].sort()
  assert.ok(fields.length > 30)
  const documented = ['Fields', 'Meshes']
    .flatMap((section) => tableRows(page, section).map(([name = '']) => name.replaceAll('`', '')))
    // These are links to what is documented further down.
    .filter((name) => name !== 'istio' && name !== 'spiffe')
  assert.deepEqual(documented.sort(), fields)
})

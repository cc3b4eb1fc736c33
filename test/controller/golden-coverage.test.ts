import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { customResources } from '../../src/controller/custom-resources/custom-resources.ts'
import { customResourceDefinition } from '../../src/controller/schema/custom-resource.ts'
import { uncoveredFields } from './support/schema-coverage.ts'

/*
 * The golden translations of ProxyParameters are those of `translate/deployment/parameters`, since only what is deployed
 * depends on them. What Kubernetes defines ends where its schema ends.
 */

/** Fields that no golden case has, and why. */
const exempt: Readonly<Record<string, string>> = {
  'ProxyBackend.ai.groups[].providers[].policies.auth.oauthTokenExchange.requestedTokenType=IdJag':
    'a rule of the schema rejects it: crossAppAccess asks for such tokens',
}

const inputs = globSync(['golden/*/in.yaml', 'translate/deployment/parameters/*.yaml'], {
  cwd: import.meta.dirname,
}).flatMap((file) =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, file), 'utf8')).map(
    (document) => document.toJS() as { readonly kind: string; readonly spec?: unknown } | null,
  ),
)

test('every field of our kinds, and every member of an enum, is in the input of a golden translation', () => {
  const schemas = customResources.map((resource) => {
    const [version] = customResourceDefinition(resource).spec.versions
    const schema = version?.schema.openAPIV3Schema.properties?.spec
    assert.ok(schema)
    const values = inputs.filter((object) => object?.kind === resource.kind).map((object) => object?.spec)
    return { name: resource.kind, schema, values }
  })
  assert.deepEqual(uncoveredFields(schemas), Object.keys(exempt))
})

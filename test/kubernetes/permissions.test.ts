import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEvent } from './lab/audit.ts'
import { roleUse } from './lab/permissions.ts'

const rules = [
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: ['gateway.networking.k8s.io'], resources: ['gateways', 'gateways/status'], verbs: ['patch'] },
]

const event = (verb: string, code: number, message?: string, subresource?: string): AuditEvent => ({
  verb,
  objectRef: {
    resource: subresource === undefined ? 'services' : 'gateways',
    ...(subresource !== undefined && { subresource, apiGroup: 'gateway.networking.k8s.io' }),
  },
  requestURI: '/',
  responseStatus: { code, ...(message !== undefined && { message }) },
})

test('the use of a role', async (t) => {
  await t.test('is what requests needed, by verb, resource and subresource', () => {
    const { unused } = roleUse(rules, [event('get', 404), event('patch', 200, undefined, 'status')])
    const gateways = 'patch gateways.gateway.networking.k8s.io'
    assert.deepEqual(unused, ['create services', 'patch services', gateways])
  })

  await t.test('counts an apply that created an object as both', () => {
    const { unused } = roleUse(rules, [event('patch', 201)])
    assert.equal(unused.includes('create services'), false)
    assert.equal(unused.includes('patch services'), false)
  })

  await t.test('has what was refused for want of a permission, once', () => {
    const message =
      'services "a" is forbidden: User "agentgateway" cannot create resource "services" in API group ""'
    const ending =
      'services "a" is forbidden: unable to create new content in namespace b because it is being terminated'
    const { refused } = roleUse(rules, [
      event('patch', 403, message),
      event('patch', 403, message),
      event('patch', 403, ending),
    ])
    assert.deepEqual(refused, [message])
  })

  await t.test('takes a refusal without a reason for one', () => {
    assert.deepEqual(roleUse(rules, [event('get', 403)]).refused, ['/'])
  })
})

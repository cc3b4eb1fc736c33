import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionFindings } from '../../../src/cli/cluster-check/condition-findings.ts'

const subject = { kind: 'HTTPRoute', namespace: 'shop', name: 'cart' }
const condition = (type: string, status: string, reason: string, observedGeneration = 2) => ({
  type,
  status,
  reason,
  message: `about ${reason}`,
  observedGeneration,
})
const reasons = (...conditions: readonly ReturnType<typeof condition>[]) =>
  conditionFindings(subject, conditions, 2).map(({ reason }) => reason)

test('conditions', async (t) => {
  await t.test('are in order when those that should be are true, and the others are not', () => {
    assert.deepEqual(
      reasons(
        condition('Accepted', 'True', 'Accepted'),
        condition('Programmed', 'True', 'Programmed'),
        condition('Conflicted', 'False', 'NoConflicts'),
        condition('InsecureFrontendValidationMode', 'True', 'ConfigurationChanged'),
        condition('example.com/Other', 'False', 'Whatever'),
      ),
      [],
    )
  })

  await t.test('of rules that are left out, and of matches that another route has, are problems', () => {
    assert.deepEqual(
      reasons(
        condition('Accepted', 'True', 'Accepted'),
        condition('PartiallyInvalid', 'True', 'UnsupportedValue'),
        condition('agentgateway.dev/Shadowed', 'True', 'DuplicateMatch'),
      ),
      ['UnsupportedValue', 'DuplicateMatch'],
    )
  })

  await t.test('of a policy of which an older one replaces fields are a problem', () => {
    assert.deepEqual(
      reasons(
        condition('Accepted', 'True', 'Valid'),
        condition('Attached', 'True', 'Attached'),
        condition('agentgateway.dev/Shadowed', 'True', 'DuplicateField'),
      ),
      ['DuplicateField'],
    )
  })

  for (const [what, type, status, reason] of [
    ['what is in force and hardly meant', 'agentgateway.dev/Warning', 'True', 'ConfigurationWarning'],
    ['a mesh whose identity proxies lack', 'agentgateway.dev/MeshIdentity', 'False', 'NotSupported'],
  ] as const)
    await t.test(`of ${what} are a warning`, () => {
      const conditions = [condition('Accepted', 'True', 'Valid'), condition(type, status, reason)]
      const found = conditionFindings(subject, conditions, 2)
      assert.deepEqual(
        found.map((one) => [one.severity, one.reason, one.message]),
        [['warning', reason, `about ${reason}`]],
      )
    })

  await t.test('of matches that were too many to compare are a warning, which stays', () => {
    const found = conditionFindings(
      subject,
      [
        condition('Accepted', 'True', 'Accepted'),
        condition('agentgateway.dev/Shadowed', 'Unknown', 'TooManyMatches'),
      ],
      2,
    )
    assert.deepEqual(found, [
      { ...subject, severity: 'warning', reason: 'TooManyMatches', message: 'about TooManyMatches' },
    ])
  })

  await t.test('of a policy that is accepted in part are a problem', () => {
    assert.deepEqual(reasons(condition('Accepted', 'True', 'PartiallyValid')), ['PartiallyValid'])
  })

  await t.test('with the same reason are one problem', () => {
    assert.deepEqual(
      reasons(
        condition('Accepted', 'False', 'HostnameConflict'),
        condition('Conflicted', 'True', 'HostnameConflict'),
        condition('Programmed', 'False', 'HostnameConflict'),
      ),
      ['HostnameConflict'],
    )
  })

  await t.test('that only follow from others are left out', () => {
    const programmed = condition('Programmed', 'False', 'Invalid')
    assert.deepEqual(reasons(condition('ResolvedRefs', 'False', 'InvalidCertificateRef'), programmed), [
      'InvalidCertificateRef',
    ])
    assert.deepEqual(reasons(programmed), ['Invalid'])
  })

  await t.test('of an older generation are a problem, which may be gone in a moment', () => {
    const [finding, ...others] = conditionFindings(subject, [condition('Accepted', 'True', 'Accepted', 1)], 2)
    assert.deepEqual([finding?.reason, finding?.isTransient, others.length], ['StaleStatus', true, 0])
    assert.match(finding?.message ?? '', /generation 1, and the object has generation 2/)
  })

  await t.test('that nobody has looked at are a problem, which may be gone in a moment', () => {
    const [finding] = conditionFindings(subject, [condition('Accepted', 'Unknown', 'Pending')], 2)
    assert.deepEqual([finding?.reason, finding?.isTransient], ['Pending', true])
  })
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { mergeTableOf, type OpenApi } from '../../../scripts/merge-table/merge-table.ts'
import type { JsonMap } from '../../../src/controller/translate/strategic-merge/directives.ts'
import {
  type MergeType,
  mergeTable,
} from '../../../src/controller/translate/strategic-merge/merge-table.gen.ts'
import { strategicMerge } from '../../../src/controller/translate/strategic-merge/strategic-merge.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { programPath, programsProblem } from '../lab/programs.ts'
import { runWithInput } from '../lab/run-with-input.ts'
import { mergedObjects, mergePatches } from './support/merge-patches.ts'

/** What kubectl makes of a patch; undefined if it refuses it. */
const patchedByKubectl = async (original: JsonMap, patch: unknown): Promise<unknown> => {
  const options = ['--local', '--type=strategic', '--output=json', '--filename=-']
  const args = ['patch', ...options, `--patch=${JSON.stringify(patch)}`]
  const kubectl = await programPath('kubectl')
  try {
    return JSON.parse(await runWithInput(kubectl, args, JSON.stringify(original)))
  } catch {
    return undefined
  }
}

/** Kubernetes leaves directives and nulls in elements that are new: typed objects have no fields for them. */
const typed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(typed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => field !== null && !name.startsWith('$'))
      .map(([name, field]) => [name, typed(field)]),
  )
}

const patchedByUs = (original: JsonMap, patch: JsonMap): unknown => {
  const merged = strategicMerge(original.kind as MergeType, original, patch)
  return 'value' in merged ? merged.value : undefined
}

const asBefore = (original: JsonMap) => {
  const before = structuredClone(original)
  return () => {
    assert.deepEqual(original, before, 'the original was changed')
  }
}

test('patches are merged as kubectl does', { skip: programsProblem(['kubectl']) }, async (t) => {
  const cases = Object.entries(mergePatches)
  assert.ok(cases.length >= 40)
  for (const [name, { kind, patch: yaml, isRefused = false }] of cases)
    await t.test(name, async () => {
      const original = mergedObjects[kind]
      const checkOriginal = asBefore(original)
      const patch = parse(yaml) as JsonMap
      const expected = typed(await patchedByKubectl(original, patch))
      assert.deepEqual(patchedByUs(original, patch), expected)
      assert.equal(expected === undefined, isRefused)
      checkOriginal()
    })
})

/** Patches of pods, from words that meet those of the original. */
const randomPatch = (() => {
  const directive = fc.constantFrom('replace', 'delete')
  const name = fc.constantFrom('agentgateway', 'sidecar', 'other')
  const variable = fc.record(
    { name: fc.constantFrom('A', 'B', 'C', 'D'), value: fc.constantFrom('1', '2'), $patch: directive },
    { requiredKeys: ['name'] },
  )
  const mount = fc.record(
    { mountPath: fc.constantFrom('/a', '/b', '/c'), name: fc.constantFrom('x', 'y') },
    { requiredKeys: ['mountPath'] },
  )
  const context = fc.record(
    {
      runAsUser: fc.constantFrom(1, null),
      capabilities: fc.constantFrom({ drop: ['ALL'] }, { add: ['A'], $patch: 'replace' }, null),
      $patch: directive,
      $retainKeys: fc.constantFrom(['runAsUser'], ['runAsUser', 'capabilities']),
    },
    { requiredKeys: [] },
  )
  const container = fc.record(
    {
      name,
      image: fc.constantFrom('i:1', null),
      env: fc.oneof(fc.array(variable, { maxLength: 4 }), fc.constant(null) as fc.Arbitrary<unknown>),
      '$setElementOrder/env': fc
        .shuffledSubarray(['A', 'B', 'C', 'D'], { minLength: 1 })
        .map((names) => names.map((one) => ({ name: one }))),
      volumeMounts: fc.array(mount, { maxLength: 3 }),
      args: fc.array(fc.constantFrom('-a', '-b'), { maxLength: 2 }),
      securityContext: context,
      $patch: directive,
    },
    { requiredKeys: ['name'] },
  )
  const podSpec = fc.record(
    {
      containers: fc.array(container, { maxLength: 3 }),
      '$setElementOrder/containers': fc
        .shuffledSubarray(['agentgateway', 'sidecar', 'other'], { minLength: 1 })
        .map((names) => names.map((one) => ({ name: one }))),
      nodeSelector: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', null), { maxKeys: 2 }),
      tolerations: fc.array(fc.constant({ operator: 'Exists' }), { maxLength: 2 }),
      hostAliases: fc.array(fc.record({ ip: fc.constantFrom('1.1.1.1', '2.2.2.2') }), { maxLength: 2 }),
      securityContext: fc.oneof(context, fc.constant(null)),
      volumes: fc.array(
        fc.record(
          { name: fc.constantFrom('x', 'y', 'z'), emptyDir: fc.constantFrom({}, null), $patch: directive },
          { requiredKeys: ['name'] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  )
  const metadata = fc.record(
    {
      finalizers: fc.array(fc.constantFrom('f/a', 'f/b', 'f/c'), { maxLength: 3 }),
      '$deleteFromPrimitiveList/finalizers': fc.constantFrom(['f/a'], ['f/b', 'f/x']),
      labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', null), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  )
  // What is added and what is deleted of one list come in the order in which Go iterates over a map.
  const unambiguous = metadata.filter(
    (one) => !('finalizers' in one && '$deleteFromPrimitiveList/finalizers' in one),
  )
  return fc.record({
    spec: fc.record({ template: fc.record({ metadata: unambiguous, spec: podSpec }) }),
  })
})()

test('so are random ones', { skip: programsProblem(['kubectl']) }, async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(randomPatch, async (patch) => {
      const original = mergedObjects.Deployment
      const expected = typed(await patchedByKubectl(original, patch))
      if (expected !== undefined) accepted++
      assert.deepEqual(patchedByUs(original, patch as JsonMap), expected)
    }),
    { numRuns: 100 },
  )
  assert.ok(accepted > 20, `${String(accepted)} were accepted`)
})

test('the table of merge keys is that of the API server', { skip: clusterProblem() }, async () => {
  await using cluster = await startCluster({ channel: 'none' })
  const openApi = JSON.parse(
    execFileSync(
      await programPath('kubectl'),
      ['--kubeconfig', cluster.kubeconfig, 'get', '--raw', '/openapi/v2'],
      { encoding: 'utf8', maxBuffer: 64 << 20 },
    ),
  ) as OpenApi
  assert.deepEqual(mergeTable, mergeTableOf(openApi))
})

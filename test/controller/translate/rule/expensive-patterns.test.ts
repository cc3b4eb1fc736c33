import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HTTPRoute } from '../../../../src/controller/kinds/http-route.ts'
import { routeRules } from '../../../../src/controller/translate/rule/route-rules.ts'
import { goldenGraph } from '../../support/golden-objects.ts'

const cpuMs = (run: () => void): number => {
  const begin = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000
}

/** Compiled, it would take a third of a second and 390,000 instructions. */
const expensive = (index: number): string =>
  Array.from({ length: 40 }, (_, i) => `(?:[a-z]\\pL${index + i}){1000}`).join('|')

const routeWith = (name: string, patterns: readonly string[]): HTTPRoute => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { namespace: 'ns', name },
  spec: {
    rules: [
      { matches: patterns.map((value) => ({ path: { type: 'RegularExpression', value } })) },
      { matches: [{ headers: [{ name: 'x', type: 'RegularExpression', value: '[a-z]{3}' }] }] },
    ],
  },
})

test('many routes with expensive patterns cost little, and their other rules are served', () => {
  const graph = goldenGraph([])
  const names = Array.from({ length: 200 }, (_, index) => `route-${index}`)
  for (const [index, name] of names.entries())
    graph.set('HTTPRoute', `ns/${name}`, routeWith(name, [expensive(index)]))
  // The first one loads the schema.
  graph.read(routeRules, 'HTTPRoute/ns/route-0')
  const ms = cpuMs(() => {
    for (const name of names) {
      const [refused, served] = graph.read(routeRules, `HTTPRoute/ns/${name}`)
      assert.match(refused?.problems[0]?.message ?? '', /the limit is 1024 instructions/)
      assert.equal(refused?.resource, undefined)
      assert.deepEqual(served?.problems, [])
    }
  })
  assert.ok(ms < 5_000, `${ms} ms`)
})

test('what many patterns of a route may cost is limited, whatever is wrong with each of them', () => {
  const graph = goldenGraph([])
  // Each would be compiled, to find out that it is too large.
  const patterns = Array.from({ length: 2_000 }, (_, index) => `${index}(?:[a-z]\\pL){999}`)
  graph.set('HTTPRoute', 'ns/many', routeWith('many', patterns))
  let problems: readonly string[] = []
  const ms = cpuMs(() => {
    problems = graph
      .read(routeRules, 'HTTPRoute/ns/many')
      .flatMap((rule) => rule.problems.map(({ message }) => message))
  })
  assert.ok(ms < 2_000, `${ms} ms`)
  assert.match(problems[0] ?? '', /the limit is 1024 instructions/)
  assert.match(problems.at(-1) ?? '', /too large together: the limit is 4096 characters or instructions/)
})

test('the characters of a pattern that cannot be parsed count', () => {
  const graph = goldenGraph([])
  const pattern = (letter: string): string => `${letter.repeat(1_000)}(`
  graph.set('HTTPRoute', 'ns/broken', routeWith('broken', ['a', 'b', 'c', 'd', 'e', 'f'].map(pattern)))
  const messages = graph
    .read(routeRules, 'HTTPRoute/ns/broken')
    .flatMap((rule) => rule.problems.map(({ message }) => message))
  assert.match(messages[0] ?? '', /missing closing \)/)
  assert.match(messages[5] ?? '', /too large together/)
  for (const message of messages) assert.ok(message.length < 300, message)
})

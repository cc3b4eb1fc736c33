import assert from 'node:assert/strict'
import { test } from 'node:test'
import ts from 'typescript'
import type { TraceMessage } from 'agentgateway'

/** A program that consumes the trace: that it compiles without casts is the test. */
const sentence = (message: TraceMessage): string => {
  switch (message.type) {
    case 'requestSnapshot':
      return message.requestState.request?.pathAndQuery ?? ''
    case 'responseSnapshot':
      return `status ${message.requestState.response?.code ?? 0}`
    case 'policySelection':
      return Object.keys(message.effectivePolicy).join()
    case 'policyEvent':
      if (message.kind === 'mcp' && message.details.step === 'call') return message.details.target
      if (message.kind === 'llm_cost') return `${message.details.cost?.total ?? 'unpriced'}`
      if (message.kind === 'retry') return message.details.toUpperCase()
      return message.kind
    default:
      return message.type
  }
}

test('events of the trace narrow by type and kind, without casts', () => {
  assert.equal(sentence({ type: 'policyEvent', kind: 'retry', details: 'retry 1' }), 'RETRY 1')
  assert.equal(sentence({ type: 'policyEvent', kind: 'acme.quota', details: { left: 3 } }), 'acme.quota')
  assert.equal(
    sentence({
      type: 'policyEvent',
      kind: 'mcp',
      details: { step: 'call', target: 'files', method: 'tools/call', revision: null, bridged: false },
    }),
    'files',
  )
})

test('no member of a trace event is unknown or any', () => {
  const file = 'src/model/trace/trace-event.ts'
  const program = ts.createProgram([file], { strict: true, noEmit: true, target: ts.ScriptTarget.ES2024 })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const declared = source.statements.find(
    (one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === 'TraceEvent',
  )!
  const loose: string[] = []
  const seen = new Set<ts.Type>()
  const walk = (type: ts.Type, path: string): void => {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) loose.push(path)
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) for (const one of type.types) walk(one, path)
    if (!(type.flags & ts.TypeFlags.Object)) return
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    if (element) walk(element, `${path}[]`)
    const value = checker.getIndexTypeOfType(type, ts.IndexKind.String)
    if (value) walk(value, `${path}{}`)
    // Methods of arrays are not data.
    if (element) return
    for (const member of checker.getPropertiesOfType(type))
      walk(checker.getTypeOfSymbolAtLocation(member, declared), `${path}.${member.name}`)
  }
  walk(checker.getTypeAtLocation(declared), 'TraceEvent')
  assert.ok(seen.size > 50)
  assert.deepEqual(loose, [])
})

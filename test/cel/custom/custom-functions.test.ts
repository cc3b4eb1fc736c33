import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelError } from '../../../src/cel/engine/compile-error.ts'
import { compile } from '../../../src/cel/compile.ts'
import { customFunctions } from '../../../src/cel/custom/custom-functions.ts'
import { toPlain } from '../../../src/cel/values/values.ts'
import { sampleContext } from '../sample-context.ts'

const definitions = `
// who is asking
isTeam(team) { request.headers["x-team"] == team }
isLocal(address) { cidr("10.0.0.0/8").containsIP(address) }
// braces and quotes in a body
braces() { {"}": '{', "a": """ } """}["}"] + "}" // }
}
this.hasGroup(group) { group in this.groups }
this.hasAnyGroup(groups...) { groups.exists(g, this.hasGroup(g)) }
sum(first, rest...) { first + (size(rest) == 0 ? 0 : rest[0]) }
isAllowed(group) { isTeam("blue") && jwt.hasGroup(group) }
bodyModel() { json(request.body).model }
hidden(request) { request + 1 }
twice(x) { x + x }
`

const functions = customFunctions(definitions)

const outcome = (expression: string) => {
  const { value, error } = compile(expression, { functions }).evaluate(sampleContext())
  return error ? error.code : toPlain(value)
}

const complaint = (act: () => unknown): CelError => {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof CelError, String(error))
    return error
  }
  return assert.fail('nothing was wrong')
}

/** Expression → its value, or the code of its failure. */
const results: readonly (readonly [expression: string, result: unknown])[] = [
  ['isTeam("blue")', true],
  ['isTeam("red")', false],
  ['isLocal(source.address)', true],
  ['braces()', '{}'],
  ['jwt.hasGroup("ops")', true],
  ['jwt.hasAnyGroup("x", "dev")', true],
  ['jwt.hasAnyGroup()', false],
  ['sum(1)', 1],
  ['sum(1, 2)', 3],
  ['sum(1, 2, 3)', 3],
  ['isAllowed("ops")', true],
  ['[1, 2].map(x, sum(x, 10))', [11, 12]],
  ['["ops", "x"].filter(group, jwt.hasGroup(group))', ['ops']],
  ['bodyModel()', 'm-1'],
  ['twice(1) + size(twice("ab"))', 6],
  // A function sees its parameters and the variables, not the local names of its caller.
  ['["x"].exists(request, isTeam("blue"))', true],
  ['[{"groups": ["a"]}].map(jwt, isAllowed("ops"))', [true]],
  ['hidden(1)', 2],
  // Arguments are evaluated first; if one fails, the call fails.
  ['isTeam(jwt.nope)', 'no_such_key'],
  ['default(isTeam(jwt.nope), "none")', 'none'],
  ['isTeam(jwt.nope) || true', true],
]

test('custom functions', async (t) => {
  for (const [expression, expected] of results)
    await t.test(`return ${JSON.stringify(expected)} for ${expression}`, () => {
      assert.deepEqual(outcome(expression), expected)
    })

  await t.test('are unknown to expressions that are compiled without them', () => {
    assert.equal(complaint(() => compile('isTeam("blue")')).problem, 'unknown function "isTeam"')
  })

  await t.test('have the type of their body for the arguments', () => {
    const typeOf = (expression: string) => compile(expression, { functions }).type
    assert.deepEqual(['isTeam("a")', 'twice(1)', 'twice("a")', 'bodyModel()'].map(typeOf), [
      'bool',
      'int',
      'string',
      'dyn',
    ])
  })

  await t.test('report the attributes that they read, through nested calls', () => {
    const { variables, requestBody } = compile('isAllowed("a")', { functions }).references
    assert.deepEqual([[...variables].sort(), requestBody], [['jwt', 'request'], false])
    assert.equal(compile('bodyModel() == "m"', { functions }).references.requestBody, true)
    assert.deepEqual([...compile('hidden(1)', { functions }).references.variables], [])
  })
})

/** Expression, problem, location, and hint. */
const wrongCalls: readonly (readonly [string, string, string, string?])[] = [
  ['isTaem("a")', 'unknown function "isTaem"', '1:1', 'did you mean "isTeam"?'],
  ['isTeam()', 'no such call: isTeam()', '1:1', 'usage: isTeam(team)'],
  ['isTeam("a", "b")', 'no such call: isTeam(string, string)', '1:1', 'usage: isTeam(team)'],
  ['jwt.hasGroup()', 'no such call: dyn.hasGroup()', '1:5', 'usage: this.hasGroup(group)'],
  ['hasGroup("a")', 'no such call: hasGroup(string)', '1:1', 'usage: this.hasGroup(group)'],
  ['twice(true)', 'in "twice": no such overload: bool + bool', '1:1'],
  ['isLocal(5)', 'in "isLocal": no such call: CIDR.containsIP(int)', '1:1'],
]

test('a call of a custom function', async (t) => {
  for (const [expression, problem, place, hint] of wrongCalls.filter(
    ([, why]) => !why.includes('dyn == int'),
  ))
    await t.test(`is refused: ${expression}`, () => {
      const error = complaint(() => compile(expression, { functions }))
      const { line, column } = error.position
      assert.deepEqual([error.problem, `${line}:${column}`, error.hint], [problem, place, hint])
    })
})

/** Definitions, problem, location, and hint. */
const wrongDefinitions: readonly (readonly [string, string, string, string?])[] = [
  ['f', 'a definition is expected here', '1:1', 'such as: name(a, b) { a == b }'],
  ['f() { 1 }\nx = 5', 'a definition is expected here', '2:1', 'such as: name(a, b) { a == b }'],
  ['f(a { a }', 'a definition is expected here', '1:1', 'such as: name(a, b) { a == b }'],
  ['f(a) { a', 'the body of "f" has no end', '1:6', 'it ends with }'],
  ['f(a) { "}" // }\n', 'the body of "f" has no end', '1:6', 'it ends with }'],
  ['f() {\n }', 'the body of "f" is empty', '2:2'],
  ['f(a, 5) { a }', 'a name is expected here', '1:6', 'such as: name(a, b...)'],
  ['f(a,) { a }', 'a name is expected here', '1:5', 'such as: name(a, b...)'],
  ['f(a..., b) { a }', 'only the last parameter may take all further arguments', '1:3'],
  ['f(a, a) { a }', 'two parameters are called "a"', '1:6'],
  ['f(this) { this }', '"this" cannot be the name of a parameter', '1:3'],
  ['if(a) { a }', '"if" cannot be the name of a function', '1:1'],
  ['f() { 1 }\n\nf(a) { a }', '"f" is defined twice', '3:1'],
  ['this.f() { 1 }\nthis.f(a) { a }', '"this.f" is defined twice', '2:6'],
  ['size(a) { 1 }', '"size" is built in', '1:1', 'choose another name for the function'],
  ['this.default(a) { 1 }', '"default" is built in', '1:6', 'choose another name for the function'],
  ['request() { 1 }', '"request" is built in', '1:1', 'choose another name for the function'],
  ['f() { f() }', '"f" calls itself', '1:7', 'functions cannot call themselves'],
  [
    'f() { 1 + g(1) }\ng(a) { [a].map(x, x.h()) }\nthis.h() { f() }',
    '"f" calls itself by way of "g", "h"',
    '3:12',
    'functions cannot call themselves',
  ],
  ['f(a) {\n  a +\n}', 'in "f": the expression ends too soon', '3:1'],
  [
    'f(team) { request.headers["a"] == taem }',
    'in "f": unknown variable "taem"',
    '1:35',
    'did you mean "team"?',
  ],
  [
    'ok() { 1 }\nf() {\n  request.pth }',
    'in "f": request has no field "pth"',
    '3:11',
    'did you mean "path"?',
  ],
  ['f(a) { g(a) }\ng() { 1 }', 'in "f": no such call: g(dyn)', '1:8', 'usage: g()'],
  ['f(a) { "x" + 1 }', 'in "f": no such overload: string + int', '1:8'],
]

test('definitions of custom functions', async (t) => {
  for (const [definition, problem, place, hint] of wrongDefinitions)
    await t.test(`are refused: ${JSON.stringify(definition)}`, () => {
      const error = complaint(() => customFunctions(definition))
      const { line, column } = error.position
      assert.deepEqual([error.problem, `${line}:${column}`, error.hint], [problem, place, hint])
    })

  await t.test('may be absent', () => {
    for (const empty of ['', ' \n', '// later\n']) assert.deepEqual(customFunctions(empty).macros, [])
  })

  await t.test('may use one name for a function and for a method', () => {
    const both = customFunctions('f(a) { a + 1 }\nthis.f() { this + 2 }')
    assert.equal(compile('f(1) + 1.f()', { functions: both }).evaluate({}).value, 5n)
  })

  await t.test('may be long, up to a limit', () => {
    assert.match(complaint(() => customFunctions(' '.repeat(70_000))).problem, /65536 characters/)
  })
})

test('custom functions that multiply their arguments', async (t) => {
  const ladder = Array.from({ length: 40 }, (_, i) => `f${i + 1}(x) { f${i}(x) + f${i}(x) }`).join('\n')

  await t.test('are refused if they expand an expression beyond its size limit', () => {
    assert.match(complaint(() => customFunctions(`f0(x) { x }\n${ladder}`)).problem, /more than 4000 parts/)
  })

  await t.test('are stopped if their values grow beyond the limit', () => {
    const doubling = customFunctions('twice(x) { x + x }')
    const nested = `size(${'twice('.repeat(40)}request.path${')'.repeat(40)})`
    const { error } = compile(nested, { functions: doubling }).evaluate(sampleContext())
    assert.equal(error?.code, 'limit_exceeded')
  })
})

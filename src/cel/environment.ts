import { Environment, type RegisteredFunctionHandler } from '@marcbachmann/cel-js'
import { equals } from './engine/equality.ts'
import { functionGroups } from './functions/functions.ts'
import { HeadersView, Secret } from './context/headers-view.ts'
import { IpAddress, CelIpRange } from './values/ip-address.ts'
import { type Evaluator, evaluatorOf } from './engine/cel-js.ts'
import { limits } from './limits.ts'
import { recordTypes } from './context/records.ts'
import { Flattened } from './values/values.ts'
import { variables } from './variables.ts'

const build = (): Environment => {
  const environment = new Environment({
    // Log entries and bodies are often built from literals such as `{"name": request.path, "port":
    // source.port}`.
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: limits.nodes,
      maxDepth: limits.depth,
      maxListElements: limits.elements,
      maxMapEntries: limits.elements,
      maxCallArguments: limits.callArguments,
    },
  })
  environment
    .registerType('Headers', { ctor: HeadersView })
    .registerType('Secret', { ctor: Secret, fields: {} })
    .registerType('Flattened', { ctor: Flattened, fields: {} })
    .registerType('IP', { ctor: IpAddress, fields: {} })
    .registerType('CIDR', { ctor: CelIpRange, fields: {} })
  for (const { name, view, fields } of recordTypes)
    environment.registerType(name, {
      ctor: view,
      fields: Object.fromEntries(Object.entries(fields).map(([field, { type }]) => [field, type])),
    })
  for (const { name, record } of variables) environment.registerVariable(name, record?.name ?? 'dyn')
  for (const { namespaces = [], functions } of functionGroups) {
    for (const name of namespaces) {
      const Namespace = class {
        readonly name = name
      }
      environment
        .registerType(name, { ctor: Namespace, fields: {} })
        .registerConstant(name, name, new Namespace())
    }
    for (const { overloads } of functions)
      for (const [signature, handler] of Object.entries(overloads))
        // Without `async: false` the library would check each result for a promise.
        environment.registerFunction(signature, handler as RegisteredFunctionHandler, { async: false })
  }
  for (const type of ['IP', 'CIDR']) environment.registerOperator(`${type} == ${type}`, equals)
  environment.registerOperator('bytes < bytes', (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) < 0)
  environment.registerOperator('bytes <= bytes', (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) <= 0)
  environment.registerOperator('bytes > bytes', (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) > 0)
  environment.registerOperator('bytes >= bytes', (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) >= 0)
  return environment.registerOperator('string in Headers', (name: string, headers: HeadersView) =>
    headers.has(name),
  )
}

/** The environment of all expressions: their variables, types and functions. */
export const environment = build()

/** The evaluator of its syntax trees. */
export const evaluator: Evaluator = evaluatorOf(environment)

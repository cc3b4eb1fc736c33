import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { RE2JS } from 're2js'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import type { Schema } from './convert-schema.ts'
import type { OpenApiTool } from './open-api-tool.ts'
import { checkable, REFERENCE } from './validation-schema.ts'

/** Validates arguments against the schema of their tool; returns the problem. */
export const checkArguments = (tool: OpenApiTool, args: unknown): string | undefined => {
  let check = checks.get(tool)
  if (!check) checks.set(tool, (check = new ArgumentCheck(tool.inputSchema)))
  return check.problemIn(args)
}

/** Compiling takes milliseconds, so that tools are compiled on first use. */
const checks = new WeakMap<OpenApiTool, ArgumentCheck>()

/** Limit of definitions checked per call: in some schemas the number doubles with every level. */
const MAX_STEPS = 250_000

/**
 * Validates arguments against one schema. Definitions are compiled separately, when arguments first reach them: ajv
 * would compile all reachable ones recursively, and long chains would overflow the stack.
 */
export class ArgumentCheck {
  readonly #ajv: Ajv2020
  readonly #validate: ValidateFunction
  readonly #definitions: JsonObject
  readonly #compiled = new Map<string, ValidateFunction>()
  #steps = 0

  constructor(schema: JsonObject) {
    // One per tool: an instance keeps everything that it has compiled.
    this.#ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      // Every object inherits a `constructor`.
      ownProperties: true,
      // The conversion produces valid schemas only.
      validateSchema: false,
      meta: false,
      code: { optimize: false, regExp: Object.assign(linear, { code: '' }) },
    })
    this.#ajv.addKeyword({
      keyword: REFERENCE,
      compile: (reference: string) => this.#referrer(reference.slice('#/$defs/'.length)),
      errors: 'full',
    })
    this.#definitions = isJsonObject(schema.$defs) ? schema.$defs : {}
    this.#validate = this.#ajv.compile(checkable(schema))
  }

  /** The problem of the arguments, as a text for the caller. */
  problemIn(args: unknown): string | undefined {
    this.#steps = 0
    try {
      return this.#validate(args) ? undefined : textOf(this.#validate.errors?.[0])
    } catch (error) {
      // `RangeError`: the arguments are nested deeper than the stack.
      if (error instanceof TooManySteps || error instanceof RangeError)
        return 'arguments are too complex to be checked'
      throw error
    }
  }

  #referrer(name: string): DataValidateFunction {
    const validate: DataValidateFunction = (value: unknown, location) => {
      if (++this.#steps > MAX_STEPS) throw new TooManySteps()
      const target = this.#definition(name)
      if (target(value, location)) return true
      validate.errors = target.errors ?? []
      return false
    }
    return validate
  }

  #definition(name: string): ValidateFunction {
    let compiled = this.#compiled.get(name)
    if (!compiled) {
      compiled = this.#ajv.compile(checkable(this.#definitions[name] as Schema))
      this.#compiled.set(name, compiled)
    }
    return compiled
  }
}

class TooManySteps extends Error {}

/** Expressions of documents run on texts of callers, so they must take linear time. */
const linear = (expression: string): { test(text: string): boolean; toString(): string } => {
  try {
    return RE2JS.compile(expression)
  } catch {
    // Look-around and the like: left to the server.
    return { test: () => true, toString: () => expression }
  }
}

const textOf = (error: ErrorObject | undefined): string => {
  if (!error) return 'arguments are not what the tool takes'
  const location = error.instancePath
    .slice(1)
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const { additionalProperty, allowedValues } = error.params as Record<string, unknown>
  const detail =
    typeof additionalProperty === 'string'
      ? `: ${JSON.stringify(additionalProperty)}`
      : Array.isArray(allowedValues) && allowedValues.length <= 20
        ? `: ${JSON.stringify(allowedValues)}`
        : ''
  return `${location || 'arguments'} ${error.message ?? 'is not what the tool takes'}${detail}`.slice(
    0,
    1_024,
  )
}

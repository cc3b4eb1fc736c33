import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { RE2JS } from 're2js'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { checkable, REFERENCE } from './checkable-schema.ts'
import type { Schema } from './convert-schema.ts'

/** How often definitions may be looked into for one call: schemas can be written so that it doubles with every level. */
const MAX_STEPS = 250_000

/**
 * Compares arguments with one schema. Definitions are compiled apart from each other, when arguments first get to them:
 * ajv would compile all that can be reached in one recursion, for which long chains leave it no stack.
 */
export class ArgumentCheck {
  readonly #ajv: Ajv2020
  readonly #validate: ValidateFunction
  readonly #definitions: JsonObject
  readonly #compiled = new Map<string, ValidateFunction>()
  #steps = 0

  constructor(schema: JsonObject) {
    // One for each tool: an instance keeps all that it has ever compiled.
    this.#ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      // Every object has a `constructor` that nobody gave it.
      ownProperties: true,
      // The conversion leaves only what is right.
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

  /** What is wrong with arguments, as a text for whoever made them. */
  problemIn(args: unknown): string | undefined {
    this.#steps = 0
    try {
      return this.#validate(args) ? undefined : textOf(this.#validate.errors?.[0])
    } catch (error) {
      // `RangeError`: the stack ended before the arguments did.
      if (error instanceof TooManySteps || error instanceof RangeError)
        return 'arguments are too complex to be checked'
      throw error
    }
  }

  #referrer(name: string): DataValidateFunction {
    const validate: DataValidateFunction = (value: unknown, place) => {
      if (++this.#steps > MAX_STEPS) throw new TooManySteps()
      const target = this.#definition(name)
      if (target(value, place)) return true
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

/** Expressions of documents are run on texts of callers, so they must not be able to run for ever. */
const linear = (expression: string): { test(text: string): boolean; toString(): string } => {
  try {
    return RE2JS.compile(expression)
  } catch {
    // Look-around and the like: the server has to check it.
    return { test: () => true, toString: () => expression }
  }
}

const textOf = (error: ErrorObject | undefined): string => {
  if (!error) return 'arguments are not what the tool takes'
  const place = error.instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const { additionalProperty, allowedValues } = error.params as Record<string, unknown>
  const detail =
    typeof additionalProperty === 'string'
      ? `: ${JSON.stringify(additionalProperty)}`
      : Array.isArray(allowedValues) && allowedValues.length <= 20
        ? `: ${JSON.stringify(allowedValues)}`
        : ''
  return `${place || 'arguments'} ${error.message ?? 'is not what the tool takes'}${detail}`.slice(0, 1_024)
}

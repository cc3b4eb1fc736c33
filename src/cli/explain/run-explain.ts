import { isJsonObject } from '../../protocols/json/json-object.ts'
import { usageFailure } from '../command-failure.ts'
import { type EnvironmentOptions, readEnvironment } from '../configuration/environment.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { parseCurl } from '../curl/parse-curl.ts'
import { Explainer } from './explainer.ts'
import { findBind } from './find-bind.ts'
import { printExplanation } from './print-explanation.ts'

/** Options of `agctl config explain`. */
export interface ExplainOptions extends EnvironmentOptions {
  readonly output: 'text' | 'json'
  readonly gateway?: string
  readonly clientAddress: string
  readonly jwtClaims?: string
}

/** Explains one request and prints the explanation. */
export const runExplain = async (
  file: string,
  args: readonly string[],
  options: ExplainOptions,
): Promise<void> => {
  const request = await parseCurl(args, options.clientAddress)
  const claims = parseClaims(options.jwtClaims)
  const env = await readEnvironment(options)
  const { loaded, origins } = await readConfiguration(file, env)
  await using explainer = new Explainer(loaded, origins, { env, claims })
  const bind = findBind(loaded.resources.binds, request, options.gateway)
  const explanation = await explainer.explain(bind.key, request.url, request)
  process.stdout.write(
    options.output === 'json'
      ? `${JSON.stringify(explanation, undefined, 2)}\n`
      : printExplanation(explanation),
  )
}

/**
 * The claims of an option.
 *
 * @throws CommandFailure for what is no JSON object.
 */
export const parseClaims = (text: string | undefined): object | undefined => {
  if (text === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(text)
    if (isJsonObject(claims)) return claims
  } catch {
    // Reported below.
  }
  throw usageFailure('--jwt-claims takes a JSON object', `Example: --jwt-claims '{"sub":"ann"}'`)
}

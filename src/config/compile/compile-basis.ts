import { isDeepStrictEqual } from 'node:util'
import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { ProcessAttributes } from '../../cel/context/exchange-context.ts'
import { defaultSensitiveHeaders } from '../../cel/context/headers-view.ts'
import type { Listener, Resources, Route } from '../../model/resources/resources.ts'
import type { BackendLabels, ConnectionRules } from '../../model/resources/snapshot.ts'
import { compileHttpCallout } from '../../operators/callout/stage/http-callout.ts'
import { LlmContentReads } from '../../operators/llm/stage/captured-content.ts'
import { Keyring } from '../../protocols/seal/aead-keyring.ts'
import { Dependencies } from '../../upstream/dependency-status.ts'
import { mcpRuntime } from '../../upstream/mcp/mcp-runtime.ts'
import type { CompileTools } from './compile-tools.ts'
import type { UnownedSettings } from './compile-context.ts'
import type { SharedContext } from './compile-pass.ts'
import { expressions } from './expressions.ts'
import type { ListenerTraits } from './listener-traits.ts'
import { connectionRules } from './network-authorization.ts'
import { observedBy } from './observed-expressions.ts'

/** What every part of a configuration is compiled from. If it changes, nothing can be taken over. */
export interface CompileBasis {
  readonly shared: SharedContext
  /** The keys that seal data of clients. */
  readonly keyring: Keyring | undefined
  /** Of this process, for expressions. */
  readonly attributes: ProcessAttributes
  /** Which connections are accepted. */
  readonly connections: ConnectionRules | undefined
  /** What access logs, traces and metrics read of conversations. */
  readonly observed: LlmContentReads
}

/** What a basis is made of. */
interface BasisInputs {
  readonly tools: CompileTools
  /** With policies merged. */
  readonly resources: Resources
  readonly traits: ReadonlyMap<Listener, ListenerTraits>
}

/** The basis before, if it is still right; else a new one. */
export const basisFor = (inputs: BasisInputs, before: CompileBasis | undefined): CompileBasis => {
  if (!before) return newBasis(inputs)
  const { shared, keyring } = before
  const isSame =
    keyring === inputs.tools.sealing?.() &&
    shared.hasLogins === hasLogins(inputs) &&
    isDeepStrictEqual(shared.resources, unownedSettings(inputs.resources))
  return isSame ? before : newBasis(inputs)
}

/** Compiles what all parts have in common. */
export const newBasis = (inputs: BasisInputs): CompileBasis => {
  const { tools, resources } = inputs
  const named = (tools.sensitiveHeaders ?? []).map((name) => name.toLowerCase())
  const attributes = { env: tools.env, sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) }
  const functions = functionsOf(resources.functions)
  const expression = expressions(attributes, functions)
  const observed = observedBy([resources.frontend], expression, tools.observed)
  return {
    shared: sharedContext(inputs),
    keyring: tools.sealing?.(),
    attributes,
    connections: connectionRules(resources.frontend.networkAuthorization, functions),
    observed,
  }
}

const sharedContext = ({ tools, resources, traits }: BasisInputs): SharedContext => ({
  resources: unownedSettings(resources),
  hasLogins: hasLogins({ resources, traits }),
  llmReads: new LlmContentReads(),
  httpCallout: compileHttpCallout,
  rescuer: tools.rescuer,
  random: Math.random,
  dependencies: tools.dependencies ?? new Dependencies(),
  sealing: tools.sealing ?? (() => Keyring.of([])),
  mcp: tools.mcp ?? mcpRuntime(),
  internal: tools.internal ?? noAdmin,
  evicted: tools.evicted ?? (() => undefined),
  called: tools.policyCalled ?? (() => undefined),
  guardChecked: tools.guardChecked ?? (() => undefined),
  insertions: tools.insertions ?? [],
})

const unownedSettings = ({
  frontend,
  functions,
  location,
  modelCatalog,
  unknownPrice,
  cachesAsProvider,
  bedrockBetas,
}: Resources): UnownedSettings => ({
  frontend,
  ...(functions !== undefined && { functions }),
  ...(location && { location }),
  ...(modelCatalog && { modelCatalog }),
  ...(unknownPrice && { unknownPrice }),
  ...(cachesAsProvider && { cachesAsProvider }),
  ...(bedrockBetas && { bedrockBetas }),
})

/** Routes without a login remove the cookies of others. */
const hasLogins = ({ resources, traits }: Pick<BasisInputs, 'resources' | 'traits'>): boolean =>
  [...traits.values()].some(({ hasLogin }) => hasLogin) ||
  resources.routeGroups.some(({ routes }) => routes.some(isLogin))

const isLogin = ({ policies }: Route): boolean => policies.oidc !== undefined

const noAdmin = ({ name }: BackendLabels): never => {
  throw new TypeError(`backend ${name} is internal, and there is no admin interface here to answer it`)
}

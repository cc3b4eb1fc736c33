import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Cel } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import { Registry } from '../../upstream/registry.ts'
import type { RegistryContext } from '../../upstream/registry-context.ts'
import type { RegistryTransaction } from '../../upstream/registry-transaction.ts'
import type { OfflineDestinations } from './offline-destinations.ts'
import { offlineContext } from './offline-context.ts'
import { OfflineTransaction } from './offline-transaction.ts'

/**
 * A registry for configurations that are compiled to be examined: all of the gateway's engine runs, but nothing is
 * resolved, dialled, fetched or checked. Callouts fail, and are reported.
 */
export class OfflineRegistry extends Registry {
  readonly #context: RegistryContext = offlineContext()
  readonly #destinations: OfflineDestinations

  constructor(destinations: OfflineDestinations) {
    super()
    this.#destinations = destinations
  }

  override session(
    resources: ResourceLookup,
    expression: (text: Cel) => Evaluate,
    key: (text: Cel) => Evaluate = expression,
  ): RegistryTransaction {
    return new OfflineTransaction(this.#context, resources, { expression, key }, this.#destinations)
  }

  override async close(): Promise<void> {
    await Promise.all([this.#context.sharedResources.close(0), super.close(0)])
  }
}

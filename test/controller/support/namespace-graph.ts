import type { Graph } from '../../../src/controller/graph/graph.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import { goldenGraph } from './golden-objects.ts'
import { gateway } from './long-lists.ts'
import type { PlainObject } from './plain-object.ts'

/** A graph of objects of the namespace `ns`, with the class and the Gateway of `long-lists.ts`. */
export const namespaceGraph = (objects: readonly PlainObject[]): Graph => {
  const graph = goldenGraph([])
  graph.set('GatewayClass', 'agentgateway', {
    metadata: { name: 'agentgateway' },
    spec: { controllerName: 'agentgateway.dev/agentgateway' },
  } as unknown as Inputs['GatewayClass'])
  for (const one of [gateway, ...objects]) put(graph, one)
  return graph
}

/** Adds or replaces an object, of the namespace `ns` unless it has another one. */
export const put = (graph: Graph, one: PlainObject): void => {
  const { namespace = 'ns', name } = one.metadata
  graph.set(one.kind as InputKind, `${namespace}/${name}`, one as unknown as Inputs[InputKind])
}

/** A condition of the first entry of a status, as `status reason: message`. */
export const conditionOf = (entries: readonly unknown[] | undefined, name: string): string | undefined => {
  const [entry] = (entries ?? []) as readonly Entry[]
  const found = entry?.conditions.find(({ type }) => type === name)
  return found && `${found.status} ${found.reason}: ${found.message}`
}

interface Entry {
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[]
}

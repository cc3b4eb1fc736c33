import type { Node } from '../engine/cel-js.ts'
import { nodesOf } from '../engine/prepare.ts'
import type { FunctionDefinition } from './definition.ts'

/** A definition, and the syntax tree of its body. */
export interface CallBody {
  readonly definition: FunctionDefinition
  readonly root: Node
}

/** A recursive function, and the call that closes the cycle. */
export interface CallCycle {
  readonly problem: string
  readonly offset: number
}

/**
 * Finds a function that calls itself, directly or through others. Without recursion, every evaluation ends.
 */
export const callCycle = (bodies: readonly CallBody[]): CallCycle | undefined => {
  const done = new Set<CallBody>()
  const visit = (body: CallBody, path: readonly CallBody[]): CallCycle | undefined => {
    if (done.has(body)) return undefined
    for (const { called, offset } of callsOf(body, bodies)) {
      const from = [...path, body].indexOf(called)
      if (from >= 0) {
        const [first, ...others] = [...path, body].slice(from).map(({ definition }) => `"${definition.name}"`)
        const way = others.length ? ` by way of ${others.join(', ')}` : ''
        return { problem: `${String(first)} calls itself${way}`, offset }
      }
      const found = visit(called, [...path, body])
      if (found) return found
    }
    done.add(body)
    return undefined
  }
  for (const body of bodies) {
    const found = visit(body, [])
    if (found) return found
  }
  return undefined
}

const callsOf = ({ root }: CallBody, bodies: readonly CallBody[]): { called: CallBody; offset: number }[] =>
  [...nodesOf(root)].flatMap((node) => {
    if (node.op !== 'call' && node.op !== 'rcall') return []
    const called = bodies.find(
      ({ definition }) => definition.name === node.args[0] && definition.method === (node.op === 'rcall'),
    )
    return called ? [{ called, offset: node.start }] : []
  })
